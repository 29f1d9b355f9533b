import { amazonS3Module } from './amazon-s3/module.ts'
import { boxModule } from './box/module.ts'
import type { Capabilities, Driver, ProviderModule } from './driver.ts'
import { dropboxModule } from './dropbox/module.ts'
import { githubModule } from './github/module.ts'
import { isAppId } from './github/oauth.ts'
import { googleDriveModule } from './google-drive/module.ts'
import { googlePhotosModule } from './google-photos/module.ts'
import { megaModule } from './mega/module.ts'
import { oneDriveModule } from './onedrive/module.ts'
import { pcloudModule } from './pcloud/module.ts'
import type { Glyph, PoolUse, ProviderInfo, ProviderSettings } from './providers.ts'
import { sftpModule } from './sftp/module.ts'
import type { HostGuard } from './shared/hostGuard.ts'
import { createHttp, type Http } from './shared/http.ts'
import { telegramModule } from './telegram/module.ts'
import { webdavModule } from './webdav/module.ts'

/** A storage service in the catalogue. */
export type ProviderRow = {
  /** The provider's id in the database, the URL and the folder name. */
  readonly id: string
  readonly name: string
  /** A short text below the name. */
  readonly description: string
  readonly popular: boolean
  /** 1 to 12: the colour of its first account. */
  readonly hue: number
  readonly glyph: Glyph
  /** How accounts are connected; absent where this version has no driver. */
  readonly connect?: ProviderConnect
}

export type ProviderConnect = {
  /** OAUTH: in a window of the provider. FORM: with the fields of the module's form. */
  readonly by: 'OAUTH' | 'FORM'
  /** Required settings (`server/env.ts`). */
  readonly settings: readonly string[]
  /** What an administrator does once, in order. The first sentence of each is its heading. Links are in brackets, what is to be copied in backquotes. */
  readonly setupSteps: readonly string[]
  /** What each user does in the form, or at the provider before its window opens, in order; default none. Commands and settings are in backquotes. */
  connectSteps?(settings: ProviderSettings): readonly string[]
  /** What to do about what its window may ask or warn of; default none. */
  readonly signInHints?: readonly string[]
  /** FORM only: the message when an account is reconnected with another login. Says what has to be the same. */
  readonly sameLogin?: string
  /** The access that Skypool asks for, as a sentence. */
  access(settings: ProviderSettings): string
  /** Called only if all `settings` are set. `guard`: for hosts that users type in. */
  module(http: Http, settings: ProviderSettings, guard: HostGuard): ProviderModule
  /** How group clouds use its accounts; default FULL. */
  readonly poolUse?: PoolUse
  /** Why not FULL, as a sentence for people; required where `poolUse` is another one. */
  readonly poolReason?: string
  /** What only the provider knows about its limits, as sentences: "End-to-end encrypted." Shown after the capabilities. */
  readonly limits?: readonly string[]
  /** Suffix of the host names of its public links. */
  readonly linkHost?: string
  /** REST path of its accounts below `/api/v1`; default `<id>-accounts`. Set where the specification has another one. */
  readonly restPath?: string
  /** Its name in `POST /quotas/by-ids-and-types`; default: the id. */
  readonly quotaType?: string
}

const ALL_FILES = 'Skypool can read and write all files of the account.'
const OWN_FILES = 'Skypool can read and write only the files that it stores there itself.'

/** GitHub fills in the form from the address (docs.github.com, "Registering a GitHub App using URL parameters"). */
const NEW_GITHUB_APP =
  'https://github.com/settings/apps/new?url=<PUBLIC_URL>&callback_urls%5B%5D=<PUBLIC_URL>/oauth/github/callback&webhook_active=false&contents=write&public=true'

const OWN_NETWORK =
  'Is the server in your own network? Then the administrator first allows its address, with a setting such as `ALLOW_PRIVATE_HOSTS=192.168.1.20`, and restarts Skypool.'

/** All providers, in the order shown. The only list of them. */
export const PROVIDERS: readonly ProviderRow[] = [
  {
    id: 'google-drive',
    name: 'Google Drive',
    description: '15 GB free each',
    popular: true,
    hue: 1,
    glyph: 'TRIANGLE',
    connect: {
      by: 'OAUTH',
      settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
      setupSteps: [
        'Create a project in the Google Cloud console (https://console.cloud.google.com/projectcreate). Enter any name, for example Skypool, and choose Create.',
        'Enable the Google Drive API (https://console.cloud.google.com/apis/library/drive.googleapis.com). Check that your project is chosen at the top of the page, then choose Enable.',
        'Fill in the consent screen (https://console.cloud.google.com/auth/overview). Select Get started. Enter an app name and your email address, choose External as the audience, enter your email address once more, agree, and choose Create.',
        'Allow what Skypool needs (https://console.cloud.google.com/auth/scopes). Select Add or remove scopes. Under Manually add scopes, enter the lines `https://www.googleapis.com/auth/drive` `https://www.googleapis.com/auth/userinfo.email` `https://www.googleapis.com/auth/userinfo.profile` `openid`, then choose Add to table, Update, and Save. With GOOGLE_SCOPE=drive.file the first line ends with drive.file.',
        'Publish the app (https://console.cloud.google.com/auth/audience). Choose Publish app, then Confirm. While it says Testing, only test users can connect, and Google ends each connection after 7 days.',
        'Create an OAuth client (https://console.cloud.google.com/auth/clients/create). Choose the type Web application. Under Authorized redirect URIs, choose Add URI and enter the redirect address <PUBLIC_URL>/oauth/google/callback, then choose Create.',
        'Give Skypool the id and the secret. Google shows the secret only once: copy both from the window that appears. Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET to them, and restart Skypool.',
      ],
      signInHints: [
        'If Google warns that it has not verified the app, choose Advanced, then Go to the app. It is the app of this server.',
        'If Google asks what the app may do, tick the access to Google Drive.',
      ],
      access: ({ GOOGLE_SCOPE }) => (GOOGLE_SCOPE === 'drive.file' ? OWN_FILES : ALL_FILES),
      module: (http, settings) =>
        googleDriveModule({
          http,
          clientId: settings.GOOGLE_CLIENT_ID ?? '',
          clientSecret: settings.GOOGLE_CLIENT_SECRET ?? '',
          scope: settings.GOOGLE_SCOPE === 'drive.file' ? 'drive.file' : 'drive',
        }),
      linkHost: 'google.com',
      restPath: 'google-accounts',
      quotaType: 'google',
    },
  },
  {
    id: 'dropbox',
    name: 'Dropbox',
    description: 'Files and team folders',
    popular: true,
    hue: 2,
    glyph: 'DIAMOND',
    connect: {
      by: 'OAUTH',
      settings: ['DROPBOX_CLIENT_ID', 'DROPBOX_CLIENT_SECRET'],
      setupSteps: [
        'Create an app in the App Console (https://www.dropbox.com/developers/apps/create). Choose Scoped access, Full Dropbox, and a name that is not in use, then Create app. With App folder instead, and DROPBOX_ACCESS=app_folder, accounts show only what Skypool stores.',
        'Allow what Skypool needs. On the tab Permissions, tick account_info.read, files.metadata.read, files.metadata.write, files.content.read, files.content.write, sharing.read and sharing.write. Then choose Submit at the bottom: until then nothing is saved.',
        'Enter the address to which Dropbox returns people. On the tab Settings, under Redirect URIs, enter the redirect address <PUBLIC_URL>/oauth/dropbox/callback, and choose Add.',
        'Let others connect too. On the tab Settings, choose Enable additional users. Until then, only your own Dropbox can be connected.',
        'Give Skypool the key and the secret. Both are on the tab Settings, the secret after Show. Set DROPBOX_CLIENT_ID to the App key and DROPBOX_CLIENT_SECRET to the App secret, and restart Skypool.',
      ],
      access: ({ DROPBOX_ACCESS }) => (DROPBOX_ACCESS === 'app_folder' ? OWN_FILES : ALL_FILES),
      module: (http, settings) =>
        dropboxModule({
          http,
          clientId: settings.DROPBOX_CLIENT_ID ?? '',
          clientSecret: settings.DROPBOX_CLIENT_SECRET ?? '',
          access: settings.DROPBOX_ACCESS === 'app_folder' ? 'app_folder' : 'full',
        }),
      linkHost: 'dropbox.com',
    },
  },
  {
    id: 'onedrive',
    name: 'OneDrive',
    description: 'Personal and work',
    popular: true,
    hue: 3,
    glyph: 'CLOUD',
    connect: {
      by: 'OAUTH',
      settings: ['ONEDRIVE_CLIENT_ID', 'ONEDRIVE_CLIENT_SECRET'],
      setupSteps: [
        'Register an application in the Microsoft Entra admin center (https://entra.microsoft.com). Under App registrations, choose New registration. Enter a name, choose accounts in any organizational directory and personal Microsoft accounts, then Register. If Microsoft says that your account has no directory, create a free Azure account first: it has one.',
        'Enter the address to which Microsoft returns people. Under Authentication, choose Add Redirect URI (or Add a platform), then Web, not Single-page application. Enter the redirect address <PUBLIC_URL>/oauth/onedrive/callback, and choose Configure. Microsoft accepts only addresses with https, or http://localhost, but not 127.0.0.1.',
        'Allow what Skypool needs. Under API permissions, choose Add a permission, Microsoft Graph, Delegated permissions. Tick Files.ReadWrite, User.Read and offline_access, then choose Add permissions.',
        'Create a client secret. Under Certificates & secrets, choose New client secret, then Add. Copy its Value (not the Secret ID) now, because it is shown only once, and note when it expires.',
        'Give Skypool the id and the secret. Set ONEDRIVE_CLIENT_ID to the Application (client) ID of the Overview, and ONEDRIVE_CLIENT_SECRET to the value of the secret, and restart Skypool.',
      ],
      signInHints: [
        'If Microsoft asks for the approval of an administrator, the organisation of the account has to allow the app first.',
      ],
      access: () => ALL_FILES,
      module: (http, settings) =>
        oneDriveModule({
          http,
          clientId: settings.ONEDRIVE_CLIENT_ID ?? '',
          clientSecret: settings.ONEDRIVE_CLIENT_SECRET ?? '',
          tenant: settings.ONEDRIVE_TENANT ?? 'common',
        }),
      limits: [
        'Work and school accounts change Office documents when they store them. Group clouds store these there under an id instead of their name; uploading them into a folder of such an account fails.',
      ],
      // Of personal accounts; those of organisations are at <name>.sharepoint.com.
      linkHost: '1drv.ms',
    },
  },
  {
    id: 'box',
    name: 'Box',
    description: 'Business content',
    popular: false,
    hue: 8,
    glyph: 'BOX',
    connect: {
      by: 'OAUTH',
      settings: ['BOX_CLIENT_ID', 'BOX_CLIENT_SECRET'],
      setupSteps: [
        'Create an app in the Developer Console (https://app.box.com/developers/console). Select Create Platform App, enter a name, and choose User Authentication (OAuth 2.0), which cannot be changed later. Then choose Create App.',
        'Allow what Skypool needs. On the tab Configuration, under Application Scopes, tick both reading and writing all files and folders stored in Box.',
        'Enter the address to which Box returns people. On the same tab, under OAuth 2.0 Redirect URIs, add the redirect address <PUBLIC_URL>/oauth/box/callback. Then choose Save Changes.',
        'Give Skypool the id and the secret. They are on the same tab, under OAuth 2.0 Credentials. Box shows the secret only to accounts with two-factor authentication. Set BOX_CLIENT_ID to the Client ID and BOX_CLIENT_SECRET to the Client Secret, and restart Skypool.',
      ],
      signInHints: [
        'If Box says that the app is disabled by the administrator, the company of the account has to allow it first, in its Admin Console.',
      ],
      access: () => ALL_FILES,
      module: (http, settings) =>
        boxModule({
          http,
          clientId: settings.BOX_CLIENT_ID ?? '',
          clientSecret: settings.BOX_CLIENT_SECRET ?? '',
        }),
      linkHost: 'box.com',
    },
  },
  {
    id: 'github',
    name: 'GitHub',
    description: 'Repositories',
    popular: false,
    hue: 6,
    glyph: 'BRANCH',
    connect: {
      by: 'OAUTH',
      settings: ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
      setupSteps: [
        `Register a GitHub App (${NEW_GITHUB_APP}). This link fills in the form, except for the name, which has to be new at GitHub: no webhook, the repository permission Contents with Read and write, and Any account. Leave "Expire user authorization tokens" on.`,
        'Compare the Callback URL. It has to be the redirect address <PUBLIC_URL>/oauth/github/callback. Then choose Create GitHub App.',
        'Give Skypool the id and a secret. Select Generate a new client secret, which is shown only once. Set GITHUB_CLIENT_ID to the Client ID (not the App ID) and GITHUB_CLIENT_SECRET to the secret, and restart Skypool.',
        'Give your users the address of the app. It is under Public page: each of them installs the app there for one private repository, and then connects GitHub here.',
      ],
      connectSteps: ({ GITHUB_CLIENT_ID }) =>
        GITHUB_CLIENT_ID == null || isAppId(GITHUB_CLIENT_ID)
          ? [
              'Create a private repository at GitHub (https://github.com/new). It may be empty.',
              'Open the address of the app, which your administrator knows. Choose Install, and give it access to this one repository only.',
            ]
          : [],
      access: ({ GITHUB_CLIENT_ID }) =>
        GITHUB_CLIENT_ID == null || isAppId(GITHUB_CLIENT_ID)
          ? 'Skypool can read and write the private repository for which you install the app of this server. It stores files as assets of its releases.'
          : 'GitHub has no narrower permission: Skypool can read and write all repositories of the account. It uses one, skypool-storage, which it makes.',
      module: (http, settings) =>
        githubModule({
          http,
          clientId: settings.GITHUB_CLIENT_ID ?? '',
          clientSecret: settings.GITHUB_CLIENT_SECRET ?? '',
        }),
      poolUse: 'EXTRA_COPIES',
      poolReason:
        'GitHub is a place for code: its terms let it limit or close accounts that use much of its storage or bandwidth for other files.',
      limits: [
        'Files must be under 2 GiB.',
        'GitHub takes about 80 new files a minute and 500 an hour; after that the account pauses.',
        'GitHub reports no quota: you say how much Skypool may use.',
      ],
    },
  },
  {
    id: 'sftp',
    name: 'SFTP',
    description: 'Any server with SSH',
    popular: false,
    hue: 10,
    glyph: 'TERMINAL',
    connect: {
      by: 'FORM',
      settings: [],
      setupSteps: [],
      connectSteps: () => [
        OWN_NETWORK,
        'Enter the name or address of the server, its port if it is not 22, the user name, and the password. Instead of a password you can paste a private key (OpenSSH, PEM or PuTTY), with its passphrase if it has one.',
        'Enter the folder to use. It has to exist, and you need the right to write to it. Empty is your home folder.',
        'Leave the host key fingerprint empty, and choose Connect. Skypool only asks the server for its key, and shows the fingerprint.',
        'Compare it with what your hoster publishes, or with the output of `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the server. If they are equal, tick the box, and choose Connect again.',
      ],
      sameLogin:
        'This is another login: host, port, user name and folder have to be the same as before. Nothing was changed.',
      access: () =>
        'What you enter is stored encrypted. Skypool can read and write all files of the folder that you connect.',
      module: (_http, _settings, guard) => sftpModule({ guard }),
    },
  },
  {
    id: 'webdav',
    name: 'WebDAV',
    description: 'Nextcloud, NAS, more',
    popular: false,
    hue: 12,
    glyph: 'GLOBE',
    connect: {
      by: 'FORM',
      settings: [],
      setupSteps: [],
      connectSteps: () => [
        OWN_NETWORK,
        'For Nextcloud and ownCloud, create an app password: Settings, Security, Devices & sessions, Create new app password. With two-factor authentication it is the only password that programs can use.',
        'Enter the server address. For Nextcloud and ownCloud, it is that of the start page, such as https://cloud.example.org. For other servers, it is that of the WebDAV folder, such as https://nas.example.org:5006/home/.',
        'Enter the user name and the password, or an access token for servers that use one.',
      ],
      sameLogin: 'This is another login: address and user name have to be the same as before. Nothing was changed.',
      access: () =>
        'What you enter is stored encrypted. Skypool can read and write all files of the folder that you connect.',
      module: (_http, _settings, guard) => webdavModule({ guard }),
    },
  },
  {
    id: 'amazon-s3',
    name: 'Amazon S3',
    description: 'And compatible',
    popular: false,
    hue: 5,
    glyph: 'CYLINDER',
    connect: {
      by: 'FORM',
      settings: [],
      setupSteps: [],
      connectSteps: () => [
        OWN_NETWORK,
        'Create a bucket at the service, and an access key that may list it and read, write and delete its objects. Amazon has keys under IAM, Users, Security credentials, Cloudflare under R2, Manage API tokens, Backblaze under Application Keys, Wasabi and MinIO under Access Keys.',
        'Choose the service. Amazon S3, Backblaze B2 and Wasabi need the region, the others their endpoint. If the service is not in the list, choose Another service with the S3 API.',
        'Enter the bucket, the access key and the secret key. Enter a folder too if Skypool should use only that.',
      ],
      sameLogin:
        'This is another place: endpoint, bucket and folder have to be the same as before. Nothing was changed.',
      access: () =>
        'The keys are stored encrypted. Skypool can read and write everything in the bucket, or in the folder that you enter.',
      module: (_http, _settings, guard) => amazonS3Module({ http: createHttp({ emulatorUrl: null, guard }) }),
    },
  },
  {
    id: 'google-photos',
    name: 'Google Photos',
    description: 'Photos and videos',
    popular: false,
    hue: 9,
    glyph: 'APERTURE',
    connect: {
      by: 'OAUTH',
      settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
      setupSteps: [
        'Enable the Photos Library API (https://console.cloud.google.com/apis/library/photoslibrary.googleapis.com). Use the project of Google Drive. If there is none, create a project, a consent screen and an OAuth client as for Google Drive.',
        'Add two scopes (https://console.cloud.google.com/auth/scopes). Select Add or remove scopes. Under Manually add scopes, enter the lines `https://www.googleapis.com/auth/photoslibrary.appendonly` `https://www.googleapis.com/auth/photoslibrary.readonly.appcreateddata`, then choose Add to table, Update, and Save.',
        'Add a second address to the OAuth client (https://console.cloud.google.com/auth/clients). Open the client, and under Authorized redirect URIs choose Add URI and enter the redirect address <PUBLIC_URL>/oauth/google-photos/callback. Then choose Save.',
        'Give Skypool the id and the secret, if you have not done that for Google Drive. Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET to them, and restart Skypool.',
      ],
      signInHints: [
        'If Google warns that it has not verified the app, choose Advanced, then Go to the app. It is the app of this server.',
        'If Google asks what the app may do, tick everything about Google Photos.',
        'If Google refuses the address or the access, the administrator has set up only Google Drive. Google Photos uses the same settings, but needs its API, two scopes and a second redirect address.',
      ],
      access: () =>
        'Skypool can add photos and videos and make albums, and see what it has added. Google shows programs nothing else of the library, and lets them delete nothing.',
      module: (http, settings) =>
        googlePhotosModule({
          http,
          clientId: settings.GOOGLE_CLIENT_ID ?? '',
          clientSecret: settings.GOOGLE_CLIENT_SECRET ?? '',
        }),
      poolUse: 'NONE',
      poolReason:
        'Google Photos takes only photos and videos, returns them without their location and videos compressed, and lets programs delete nothing.',
    },
  },
  {
    id: 'mega',
    name: 'MEGA',
    description: 'End-to-end encrypted',
    popular: false,
    hue: 4,
    glyph: 'SHIELD',
    connect: {
      by: 'FORM',
      settings: [],
      setupSteps: [],
      connectSteps: () => [
        'Enter the email address and the password of the account, and choose Connect.',
        'With two-factor authentication, the form then asks for the code of the authenticator app. Enter it, and choose Connect again.',
      ],
      sameLogin: 'This is another login: it has to be the same MEGA account as before. Nothing was changed.',
      access: () =>
        'Skypool can read and write all files of the account. Your password is not stored: the session and the key of the account are, encrypted.',
      module: (http) => megaModule({ http }),
      linkHost: 'mega.nz',
    },
  },
  {
    id: 'pcloud',
    name: 'pCloud',
    description: 'European storage',
    popular: false,
    hue: 7,
    glyph: 'RING',
    connect: {
      by: 'OAUTH',
      settings: ['PCLOUD_CLIENT_ID', 'PCLOUD_CLIENT_SECRET'],
      setupSteps: [
        'Create an app at pCloud (https://docs.pcloud.com/my_apps/). Choose to create a new app, and enter a name that is not in use. Give it access to all folders, and write access.',
        'Enter the address to which pCloud returns people. Select the app, then Settings. Add the redirect address <PUBLIC_URL>/oauth/pcloud/callback to its Redirect URIs, and save the changes.',
        'Give Skypool the id and the secret. Set PCLOUD_CLIENT_ID to the Client ID and PCLOUD_CLIENT_SECRET to the Client secret of the app, and restart Skypool.',
      ],
      access: () => ALL_FILES,
      module: (http, settings) =>
        pcloudModule({
          http,
          clientId: settings.PCLOUD_CLIENT_ID ?? '',
          clientSecret: settings.PCLOUD_CLIENT_SECRET ?? '',
        }),
      linkHost: 'pcloud.link',
    },
  },
  {
    id: 'telegram',
    name: 'Telegram',
    description: 'A channel, encrypted',
    popular: false,
    hue: 11,
    glyph: 'SEND',
    connect: {
      by: 'FORM',
      settings: [],
      setupSteps: [],
      connectSteps: () => [
        'In Telegram, write /newbot to @BotFather and answer its questions. It replies with the token of your bot. Use the bot for nothing else.',
        'Create a new channel, Private. Open its settings, Administrators, Add Admin, and choose your bot. It needs the rights to post messages and to delete messages of others.',
        'Enter the bot token, and a passphrase of your choice with at least 12 characters. Keep the passphrase: no one can recover it.',
        'Leave Channel empty if you added the bot within the last day. Otherwise enter the link to any message of the channel, such as https://t.me/c/1234567890/2.',
      ],
      sameLogin:
        'This is another channel, or another passphrase: both have to be the same as before. Nothing was changed.',
      access: () =>
        'Your bot stores encrypted documents in its channel, at about 20 messages a minute, and can delete messages there. What you enter is stored encrypted.',
      module: (http) => telegramModule({ http }),
      poolUse: 'EXTRA_COPIES',
      poolReason:
        'Telegram is a messenger: it promises to keep no files, and can block a bot or a channel that holds many of them.',
      // The specification has other accounts under /telegram-accounts.
      restPath: 'telegram-storage-accounts',
    },
  },
]

/** The rows with their state on this server. `modules`: the configured ones, by kind. */
export function describeProviders(
  rows: readonly ProviderRow[],
  modules: ReadonlyMap<string, ProviderModule>,
  settings: ProviderSettings,
): ProviderInfo[] {
  return rows.map(({ connect, ...row }) => {
    const module = modules.get(row.id)
    const driver = module?.open({ expiresAt: null })
    const required = connect?.settings ?? []
    const missing = module ? [] : required.filter((name) => settings[name] == null)
    return {
      ...row,
      availability: module ? 'READY' : required.length > 0 ? 'NOT_CONFIGURED' : 'UNAVAILABLE',
      requiredSettings: required,
      settings: missing,
      setupSteps: connect?.setupSteps ?? [],
      connectSteps: connect?.connectSteps?.(settings) ?? [],
      signInHints: connect?.signInHints ?? [],
      connectsBy: connect?.by ?? null,
      fields: module?.signIn.by === 'FORM' ? module.signIn.form.fields : [],
      access: connect?.access(settings) ?? null,
      canShowEverything: driver?.listAll !== undefined,
      hasExtraRoots: driver?.roots !== undefined,
      hasThumbnails: driver?.thumbnail !== undefined,
      capabilities: driver ? capabilityTexts(driver) : [],
      limits: connect?.limits ?? [],
      poolUse: connect?.poolUse ?? 'FULL',
      poolReason: connect?.poolReason ?? null,
      sameLogin: connect?.sameLogin ?? null,
      linkHost: connect?.linkHost ?? null,
      restPath: connect?.restPath ?? `${row.id}-accounts`,
      quotaType: connect?.quotaType ?? row.id,
    }
  })
}

function capabilityTexts({ capabilities, share, copy, changes, listAll }: Driver): string[] {
  return [
    capabilities.resumable ? 'Interrupted uploads continue where they stopped.' : 'Interrupted uploads start again.',
    verificationText(capabilities),
    ...(changes ? [changesText(capabilities)] : listAll ? [WALK_TEXT] : []),
    ...(copy ? ['Copies are made there, without a download.'] : []),
    ...(share ? ['It can make its own public links.'] : []),
  ]
}

const WALK_TEXT = 'Changes made there are noticed when a folder is opened, and in all folders each night.'

function verificationText({ altersContent, hash }: Capabilities): string {
  if (altersContent) return 'What is stored there can be changed by the service.'
  return hash === null ? 'Stored files are read back to verify them.' : 'Stored files are verified by their checksum.'
}

function changesText({ relistHours }: Capabilities): string {
  return relistHours === undefined
    ? 'Changes made there are noticed within a minute.'
    : `Changes made there are noticed within ${relistHours} hours.`
}

/** The modules of all rows whose settings are set. */
export function configuredModules(
  rows: readonly ProviderRow[],
  http: Http,
  guard: HostGuard,
  settings: ProviderSettings,
): ProviderModule[] {
  return rows.flatMap(({ connect }) => {
    if (!connect?.settings.every((name) => settings[name] != null)) return []
    return [connect.module(http, settings, guard)]
  })
}
