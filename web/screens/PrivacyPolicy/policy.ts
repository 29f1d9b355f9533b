export type PolicySection = { title: string; paragraphs: readonly string[] }

export const EFFECTIVE = 'January 1, 2025'

/**
 * What the product does with data, in the words of the privacy policy. Change it together with what the product does.
 */
export const POLICY: readonly PolicySection[] = [
  {
    title: 'What Skypool is',
    paragraphs: [
      'Skypool is a file manager that brings the storage you already have together: it aggregates Google Drive accounts and accounts of other storage services that you choose to connect, and shows them as one drive. This Skypool runs on its own server. Whoever runs that server is responsible for your data; there is no central Skypool service behind it.',
    ],
  },
  {
    title: 'What is collected',
    paragraphs: [
      'When you register: your full name, your email address and your password. The password is kept only as a one-way hash (argon2id), never as text.',
      'When you connect a storage account, such as Google Drive: the email address and the name of that account, and the permission the service issues, which is kept encrypted. The profile picture that some services offer along with them is not fetched. Only what is needed to keep and fetch your files is asked for. If you choose to see everything in an account: the names, folders, sizes, types and dates of what it holds. The same of what others share with the account, and of shared drives, only where you choose that too; such files can belong to other people. Contents are read when you open, share, copy, compare or protect them, and for search inside files where you turn that on for the account. Of an account that shows only what Skypool stores, nothing else is listed.',
      'When you connect a Telegram account: its number, its user name and the name shown there, from the message that you send to the bot.',
      'When you use Skypool: the files you upload, their names, sizes, types and dates, and the folders you create. The text of documents, up to a million characters of each, so that you can search inside them; it is kept in the database of this server, not encrypted, and only you can search it. Settings turns this off, which deletes the texts. For each sign-in, the time, the network address and the kind of browser, so that sessions can be shown and ended. Network addresses and the accounts they tried are also counted for an hour or a little longer, so that guessing of passwords can be slowed down.',
      'What was done to your data, in a log that only you can read (Settings, Activity): what, when, from which network address, and by which browser, API key or visitor of a link. It is deleted after a year.',
      'When you create API keys: their names, what they may do, when they were last used, and how many calls each made on each day of the last year. A key is checked by a one-way hash; the key itself is kept encrypted, so that you can copy it again.',
    ],
  },
  {
    title: 'What it is used for',
    paragraphs: [
      'Only to run the service for you: to sign you in, to store, find and deliver your files, and to tell you where each file is. Your data is not sold, not used for advertising, and not used to train models. There are no trackers and no analytics.',
    ],
  },
  {
    title: 'Cookies and your browser’s storage',
    paragraphs: [
      'One cookie keeps you signed in. A second one, sidebar_state, remembers for 7 days whether the sidebar is open. Whoever enters the password of a shared link gets a cookie, skypool_share_ and a part of the link, that remembers this for 12 hours and says nothing about who they are.',
      'Your choices of light or dark, of list or grid, of single-key shortcuts and of the details panel, and the uploads that can be resumed, are remembered in your browser only. The uploads are forgotten there when you sign out.',
    ],
  },
  {
    title: 'Who else sees it',
    paragraphs: [
      'Files go to the storage accounts that you connected, and to whom you share them with.',
      'An upload link shows its visitors your name, its title and your message, until it ends. The files that they send are yours, and so is the name that they give, which becomes the name of a folder. You see in your activity log when a file arrived, and from which network address and kind of browser. The visitor’s browser remembers that name until its tab is closed, and unfinished uploads until they are complete.',
      'A shared link shows its visitors the file or folder, its name and size, and your first name, until it ends. You see how often it was downloaded, and in your activity log when, from which network address and with which kind of browser. If you ask for a link of the storage service as well, that service shows the file to whoever has its link, under its own rules; both end together.',
      'Programs that you give an API key see what the key lets them see.',
      'Mail is sent to you when you forget your password and when it was changed. It goes through the mail service that this server is set up with; without one it is kept for a week in a folder that only its administrator can read.',
      ' The picture next to your name may come from an email-hash avatar service; this server asks for it, so that the service learns a hash of your address but neither the address nor who is looking.',
      'Google user data that Skypool receives is used and passed on only as the Google API Services User Data Policy allows, including its Limited Use requirements.',
    ],
  },
  {
    title: 'How long it is kept',
    paragraphs: [
      'Files stay until you delete them, and so does their text for the search inside files. What is in Trash is deleted permanently after 30 days, or at once when you empty it. Of protected files, earlier versions are kept for as many days as you choose. Sessions end when you sign out, after a day without use, and after a week; if you chose to stay signed in, after 30 days without use, and after 90 days. The activity log and the counts of API keys go back a year. Links to reset a password count for 24 hours.',
      'The administrator may keep backups of the server, in which deleted data remains until the backup is deleted.',
    ],
  },
  {
    title: 'Your choices',
    paragraphs: [
      'You can download every file at any time, delete what you no longer want here, end shared links, sign out other browsers and revoke API keys. You can disconnect a storage account here, and revoke Skypool’s access in that service’s own security settings.',
      'You can delete your account yourself, in Settings. Your name and email address, all sessions, keys and links, and the activity log go at once; the files on this server and the access to your storage accounts within minutes. Files on your storage accounts stay there, unless you choose to have them removed as well; that is tried for a week.',
      'For any question about your data, write to whoever runs this server.',
    ],
  },
]
