export type PolicySection = { title: string; paragraphs: readonly string[] }

export const EFFECTIVE = 'January 1, 2025'

/** What the product does with data, in the words of the privacy policy. Change it together with what the product does. */
export const POLICY: readonly PolicySection[] = [
  {
    title: 'What Skypool is',
    paragraphs: [
      'Skypool is a file manager that brings the storage you already have together: it aggregates Google Drive accounts and accounts of other storage services that you choose to connect, and shows them as one drive. This Skypool runs on a server of its own. Whoever runs that server is responsible for your data; there is no central Skypool service behind it.',
    ],
  },
  {
    title: 'What is collected',
    paragraphs: [
      'When you register: your full name, your email address and your password. The password is kept only as a one-way hash (argon2id), never as text.',
      'When you connect a storage account, such as Google Drive: the email address, the account name and the profile picture of that account, and the permission the service issues. Only what is needed to keep and fetch your files is asked for.',
      'When you use Skypool: the files you upload, their names, sizes, types and dates, and the folders you make. For each sign-in, the time, the network address and the kind of browser, so that sessions can be shown and ended and guessing of passwords can be slowed down.',
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
      'One cookie keeps you signed in. A second one, sidebar_state, remembers for 7 days whether the sidebar is open. Your choice of light or dark and the uploads that can be resumed are remembered in your browser only.',
    ],
  },
  {
    title: 'Who else sees it',
    paragraphs: [
      'Files go to the storage accounts that you connected, and to nobody else. The picture beside your name may come from an email-hash avatar service; this server asks for it, so that the service learns a hash of your address but neither the address nor who is looking.',
      'Google user data that Skypool receives is used and passed on only as the Google API Services User Data Policy allows, including its Limited Use requirements.',
    ],
  },
  {
    title: 'How long it is kept',
    paragraphs: [
      'Files stay until you delete them. What is in Trash is removed for good after 30 days, or at once when you empty it. Sessions end when you sign out or after a time without use.',
    ],
  },
  {
    title: 'Your choices',
    paragraphs: [
      'You can download every file at any time, and delete what you no longer want here. You can take back Skypool’s access to a connected account in that service’s own security settings. To have your account removed, or for any question about your data, write to whoever runs this server.',
    ],
  },
]
