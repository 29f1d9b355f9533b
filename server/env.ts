import { resolve } from 'node:path'
import { z } from 'zod'
import { type Keyring, keyring, mailSender, mailServer, originList, port, size, webAddress } from './settingTypes.ts'

export type Config = {
  readonly host: string
  readonly port: number
  /** null: whatever known name a request uses. */
  readonly publicUrl: URL | null
  /** Absolute. */
  readonly dataDir: string
  /** null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null
  /** What each user may keep on this server; null is unlimited. */
  readonly localQuotaBytes: number | null
  /** What uploads leave free on the disk of `dataDir`. */
  readonly diskReserveBytes: number
  /** What all users together may keep on this server; null is unlimited. */
  readonly totalQuotaBytes: number | null
  /** Who may sign up. */
  readonly registration: 'OPEN' | 'INVITE' | 'CLOSED'
  /** true: files of every type are accepted, not only those that the upload dialog names. */
  readonly acceptAnyType: boolean
  /** Address that a hash of the e-mail address is appended to. */
  readonly avatarUrl: URL
  /** The first seals, all open; null: kept in the data folder. */
  readonly secretKeys: Keyring | null
  /** What each provider needs, by the name of the setting; null where the administrator has not set it. */
  readonly providers: Readonly<Record<keyof typeof PROVIDER_SETTINGS, string | null>>
  /** Of the bot that people confirm Telegram accounts to; null where there is none. */
  readonly telegramBotToken: string | null
  /** Where mails are handed in; null: they are written to a folder. */
  readonly smtpUrl: URL | null
  /** Whom they come from; null: Skypool at the host of the public address. */
  readonly mailFrom: string | null
  /** Where all calls to providers go instead; null: to the providers. */
  readonly providerEmulatorUrl: URL | null
  /** Calls a minute by each API key; null: as many as they like. */
  readonly rateLimit: number | null
  /** Other sites whose pages may read answers; `*`: any that shows an API key. */
  readonly corsOrigins: ReadonlySet<string>
  /** As Fastify takes it. */
  readonly trustProxy: boolean | string
  readonly logLevel: string
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
const REGISTRATIONS = ['open', 'invite', 'closed'] as const
const GOOGLE_SCOPES = ['drive', 'drive.file'] as const
/** They are not repeated in an error: they are secrets, or may hold one. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'GOOGLE_CLIENT_SECRET',
  'DROPBOX_CLIENT_SECRET',
  'SMTP_URL',
  'TELEGRAM_BOT_TOKEN',
])
/** What the providers of `server/providers/catalogue.ts` need. */
const PROVIDER_SETTINGS = {
  GOOGLE_CLIENT_ID: {
    default: '',
    meaning:
      'This server as Google knows it (OAuth client of type "Web application"); with it Google Drive can be connected.',
    schema: z.string(),
  },
  GOOGLE_CLIENT_SECRET: { default: '', meaning: 'Its secret.', schema: z.string() },
  GOOGLE_SCOPE: {
    default: 'drive',
    meaning:
      'What is asked for: `drive` (all files of the account) or `drive.file` (only those that Skypool put there).',
    schema: z.enum(GOOGLE_SCOPES, `must be one of ${GOOGLE_SCOPES.join(', ')}`),
  },
  DROPBOX_CLIENT_ID: {
    default: '',
    meaning: 'The app key of this server at Dropbox; with it Dropbox can be connected.',
    schema: z.string(),
  },
  DROPBOX_CLIENT_SECRET: { default: '', meaning: 'The app secret.', schema: z.string() },
} as const

/** Every setting: its default as one would type it ("" is unset), what it means (README), and its parser. */
export const SETTINGS = {
  HOST: {
    default: '127.0.0.1',
    meaning: 'Address to listen on. `0.0.0.0` listens on all.',
    schema: z.string(),
  },
  PORT: {
    default: '3000',
    meaning: 'Port to listen on. `0` takes a free one.',
    schema: port,
  },
  PUBLIC_URL: {
    default: '',
    meaning:
      'Where people reach this server, when that is not `localhost` or an IP address: links and the check of the Origin go by it. With `https` the session cookie is `Secure`.',
    schema: webAddress,
  },
  DATA_DIR: {
    default: './data',
    meaning: 'Folder for the files and the embedded database.',
    schema: z.string().transform((text) => resolve(text)),
  },
  DATABASE_URL: {
    default: '',
    meaning:
      'A PostgreSQL (14 or newer) of your own, as `postgres://user:password@host/database`. Unset: the embedded one.',
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host/database' }),
  },
  LOCAL_QUOTA: {
    default: '15GB',
    meaning: 'What each new user may keep on this server (`B`, `KB`, `MB`, `GB`, `TB`), or `unlimited`.',
    schema: size,
  },
  DISK_RESERVE: {
    default: '1GB',
    meaning:
      'What uploads leave free on the disk of `DATA_DIR` for the database, at most a tenth of the disk: what would need it is refused with 507.',
    schema: size.refine((bytes) => bytes !== null, 'must be a size like 1GB'),
  },
  TOTAL_QUOTA: {
    default: 'unlimited',
    meaning: 'What all users together may keep on this server, like `LOCAL_QUOTA`.',
    schema: size,
  },
  REGISTRATION: {
    default: 'open',
    meaning:
      'Who may register: everybody (`open`), whoever has an invitation from the administrator (`invite`), nobody (`closed`). The first user always may, and becomes the administrator.',
    schema: z.enum(REGISTRATIONS, `must be one of ${REGISTRATIONS.join(', ')}`),
  },
  UPLOAD_TYPES: {
    default: '',
    meaning:
      'Unset or `*`: files of every type. `documents`: only images, PDFs, videos, audio, text, and Word (docx), Excel (xlsx) and PowerPoint (pptx) documents.',
    schema: z.enum(['*', 'documents'], 'must be *, documents or unset').transform((types) => types === '*'),
  },
  AVATAR_URL: {
    default: 'https://www.gravatar.com/avatar/',
    meaning:
      'Where pictures come from: the SHA-256 of the e-mail address is appended. Only this server asks it, never the browser.',
    schema: webAddress,
  },
  SECRET_KEY: {
    default: '',
    meaning:
      'Seals the access to connected accounts: 32 random bytes or more as text. Unset: made at the first start and kept as `secret.key` in the data folder. Several with commas between them: the first seals, all open; after one start the older ones can go.',
    schema: keyring,
  },
  ...PROVIDER_SETTINGS,
  TELEGRAM_BOT_TOKEN: {
    default: '',
    meaning:
      'Token of a Telegram bot (from @BotFather) that serves this installation alone; with it Telegram accounts can be connected.',
    schema: z.string().regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be the whole token, as @BotFather shows it'),
  },
  RATE_LIMIT: {
    default: '1200',
    meaning: 'Calls a minute that each API key may make; `0` sets no limit. Browsers with a session are not limited.',
    schema: z
      .string()
      .regex(/^\d{1,9}$/, 'must be a whole number, or 0 for no limit')
      .transform(Number),
  },
  SMTP_URL: {
    default: '',
    meaning:
      'The server that takes our mails, as `smtp://user:password@host:587` or `smtps://…`. Unset: mails (forgotten passwords) are written to `mail` in the data folder, and the log names the file.',
    schema: mailServer,
  },
  MAIL_FROM: {
    default: '',
    meaning:
      'Whom mails come from, as `Skypool <no-reply@example.org>`. Unset: `no-reply@` and the host of `PUBLIC_URL`.',
    schema: mailSender,
  },
  PROVIDER_EMULATOR_URL: {
    default: '',
    meaning: 'For tests and demonstrations: an emulator that all calls to providers go to, as `<url>/@<host>/<path>`.',
    schema: webAddress,
  },
  CORS_ORIGINS: {
    default: '',
    meaning:
      'Sites whose pages may call this server with an API key, as `https://app.example.org` with commas between them, or `*` for all. Cookies never work from there. Unset: none.',
    schema: originList,
  },
  TRUST_PROXY: {
    default: '',
    meaning:
      'Proxies whose `X-Forwarded-*` headers count: addresses and networks, with commas between them, or `true` for all. Unset behind a proxy: all visitors share the limits of its address.',
    schema: z.string().transform((text) => (text === 'true' ? true : text)),
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
    schema: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  },
} as const

type Settings = { [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name]['schema']> | null }

/** One or more settings cannot be used; the message names each and says what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The configuration that the environment describes; empty values count as unset. @throws ConfigError */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = []
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const text = environment[name]?.trim() || setting.default
    if (text === '') return [name, null]
    const { data, error } = setting.schema.safeParse(text)
    if (error) problems.push(`${name} ${error.issues[0]?.message ?? 'is wrong'}. It is "${shown(name, text)}".`)
    return [name, data]
  })
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return toConfig(Object.fromEntries(entries) as Settings)
}

function toConfig(settings: Settings): Config {
  return {
    host: settings.HOST ?? SETTINGS.HOST.default,
    port: settings.PORT ?? Number(SETTINGS.PORT.default),
    publicUrl: settings.PUBLIC_URL,
    dataDir: settings.DATA_DIR ?? resolve(SETTINGS.DATA_DIR.default),
    databaseUrl: settings.DATABASE_URL,
    localQuotaBytes: settings.LOCAL_QUOTA,
    diskReserveBytes: settings.DISK_RESERVE ?? 0,
    totalQuotaBytes: settings.TOTAL_QUOTA,
    registration: (settings.REGISTRATION ?? SETTINGS.REGISTRATION.default).toUpperCase() as Config['registration'],
    acceptAnyType: settings.UPLOAD_TYPES ?? true,
    avatarUrl: settings.AVATAR_URL ?? new URL(SETTINGS.AVATAR_URL.default),
    secretKeys: settings.SECRET_KEY,
    providers: pick(settings, PROVIDER_SETTINGS),
    telegramBotToken: settings.TELEGRAM_BOT_TOKEN,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    providerEmulatorUrl: settings.PROVIDER_EMULATOR_URL,
    rateLimit: settings.RATE_LIMIT || null,
    corsOrigins: settings.CORS_ORIGINS ?? new Set(),
    trustProxy: settings.TRUST_PROXY ?? false,
    logLevel: settings.LOG_LEVEL ?? SETTINGS.LOG_LEVEL.default,
  }
}

function pick<Name extends keyof Settings>(settings: Settings, names: Readonly<Record<Name, unknown>>) {
  return Object.fromEntries((Object.keys(names) as Name[]).map((name) => [name, settings[name]])) as Pick<
    Settings,
    Name
  >
}

function shown(name: string, text: string): string {
  return SECRETS.has(name) ? '…' : text
}
