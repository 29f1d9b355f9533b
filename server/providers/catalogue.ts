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
  /** What an administrator does once, in order. */
  readonly setupSteps: readonly string[]
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
        'Make a project in the Google Cloud console (https://console.cloud.google.com) and enable the Google Drive API.',
        'Fill in the consent screen with the scopes drive (or drive.file with GOOGLE_SCOPE=drive.file), email, profile and openid, and publish it.',
        'Make an OAuth client of type Web application with the redirect address <PUBLIC_URL>/oauth/google/callback.',
        'Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET to its id and secret, and restart Skypool.',
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
        'Make an app with scoped access in the App Console (https://www.dropbox.com/developers/apps), for Full Dropbox or an App folder.',
        'Tick account_info.read, files.metadata.read, files.metadata.write, files.content.read, files.content.write, sharing.read and sharing.write.',
        'Add the redirect address <PUBLIC_URL>/oauth/dropbox/callback.',
        'Set DROPBOX_CLIENT_ID and DROPBOX_CLIENT_SECRET to the app key and app secret (and DROPBOX_ACCESS=app_folder for an App folder), and restart Skypool.',
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
        'In the Microsoft Entra admin center (https://entra.microsoft.com), under App registrations, register an application for accounts in any organisation and personal Microsoft accounts.',
        'Under Authentication, add the platform Web (not Single-page application) with the redirect address <PUBLIC_URL>/oauth/onedrive/callback.',
        'Under API permissions, add the delegated permissions of Microsoft Graph Files.ReadWrite, User.Read and offline_access.',
        'Under Certificates & secrets, make a client secret, and note when it expires and its value, which is shown only once.',
        'Set ONEDRIVE_CLIENT_ID to the application (client) id and ONEDRIVE_CLIENT_SECRET to the value of the secret (not its id), and restart Skypool.',
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
        'Make a custom app with user authentication (OAuth 2.0) in the Developer Console (https://app.box.com/developers/console).',
        'Under Configuration, tick the scope "Read and write all files and folders stored in Box".',
        'Add the redirect address <PUBLIC_URL>/oauth/box/callback.',
        'Set BOX_CLIENT_ID and BOX_CLIENT_SECRET to its client id and client secret, and restart Skypool.',
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
        `Register a GitHub App, with everything but its name filled in (${NEW_GITHUB_APP}): no webhook, and the repository permission Contents, Read and write.`,
        'Its callback URL is the redirect address <PUBLIC_URL>/oauth/github/callback. Leave "Expire user authorization tokens" on, and let any account install it.',
        'Generate a client secret. Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to its client id and the secret, and restart Skypool.',
        'Tell your users the address of the app (Public page): each of them installs it for one private repository, and then connects GitHub here.',
      ],
      access: ({ GITHUB_CLIENT_ID }) =>
        GITHUB_CLIENT_ID == null || isAppId(GITHUB_CLIENT_ID)
          ? 'First install the app of this server at GitHub, for one private repository. Skypool can read and write that repository, and stores files as assets of its releases.'
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
        'In the project of Google Drive, or a new one in the Google Cloud console (https://console.cloud.google.com), enable the Photos Library API.',
        'Add the scopes photoslibrary.appendonly and photoslibrary.readonly.appcreateddata to the consent screen.',
        'Add the redirect address <PUBLIC_URL>/oauth/google-photos/callback to the OAuth client.',
        'Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET to its id and secret, if that was not done for Google Drive, and restart Skypool.',
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
        'Make an app at pCloud (https://docs.pcloud.com/my_apps/) with access to all files and write permission.',
        'Add the redirect address <PUBLIC_URL>/oauth/pcloud/callback.',
        'Set PCLOUD_CLIENT_ID and PCLOUD_CLIENT_SECRET to its client id and client secret, and restart Skypool.',
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
