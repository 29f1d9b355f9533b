import { resolve } from 'node:path'
import { z } from 'zod'

export type Config = {
  readonly host: string
  readonly port: number
  /** null: whatever name a request uses. */
  readonly publicUrl: URL | null
  /** Absolute. */
  readonly dataDir: string
  /** null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null
  /** What each user may keep on this server; null is unlimited. */
  readonly localQuotaBytes: number | null
  /** true: files of every type are accepted, not only those that the upload dialog names. */
  readonly acceptAnyType: boolean
  /** Address that a hash of the e-mail address is appended to. */
  readonly avatarUrl: URL
  /** The first seals, all open; null: kept in the data folder. */
  readonly secretKeys: Keyring | null
  readonly google: OAuthClient & { readonly scope: (typeof GOOGLE_SCOPES)[number] }
  readonly dropbox: OAuthClient
  /** Where all calls to providers go instead; null: to the providers. */
  readonly providerEmulatorUrl: URL | null
  /** As Fastify takes it. */
  readonly trustProxy: boolean | string
  readonly logLevel: string
}

export type Keyring = readonly [string, ...string[]]

/** This server as a provider knows it; null where the administrator has not set it. */
export type OAuthClient = { readonly clientId: string | null; readonly clientSecret: string | null }

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
const GOOGLE_SCOPES = ['drive', 'drive.file'] as const
const SHORTEST_KEY = 32
const FEWEST_CHARACTERS = 8
/** They are not repeated in an error: they are secrets, or may hold one. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'GOOGLE_CLIENT_SECRET',
  'DROPBOX_CLIENT_SECRET',
])
const PORT_ERROR = 'must be a whole number from 0 to 65535'

const webAddress = z.url({ protocol: /^https?$/, error: 'must be a web address, like https://files.example.org' })

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
    schema: z
      .string()
      .regex(/^\d{1,5}$/, PORT_ERROR)
      .transform(Number)
      .refine((port) => port <= 65535, PORT_ERROR),
  },
  PUBLIC_URL: {
    default: '',
    meaning:
      'Where people reach this server, when a proxy stands before it. With `https` the session cookie is `Secure`.',
    schema: webAddress.transform((text) => new URL(text)),
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
    schema: z.string().transform(parseSize),
  },
  UPLOAD_TYPES: {
    default: '',
    meaning: '`*` accepts files of every type. Unset: images, PDFs, videos, audio, text and Office documents.',
    schema: z.literal('*', 'must be * or unset').transform(() => true),
  },
  AVATAR_URL: {
    default: 'https://www.gravatar.com/avatar/',
    meaning:
      'Where pictures come from: the SHA-256 of the e-mail address is appended. Only this server asks it, never the browser.',
    schema: webAddress.transform((text) => new URL(text)),
  },
  SECRET_KEY: {
    default: '',
    meaning:
      'Seals the access to connected accounts: 32 random bytes or more as text. Unset: made at the first start and kept as `secret.key` in the data folder. Several with commas between them: the first seals, all open; after one start the older ones can go.',
    schema: z.string().transform(parseKeyring),
  },
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
  PROVIDER_EMULATOR_URL: {
    default: '',
    meaning: 'For tests and demonstrations: an emulator that all calls to providers go to, as `<url>/@<host>/<path>`.',
    schema: webAddress.transform((text) => new URL(text)),
  },
  TRUST_PROXY: {
    default: '',
    meaning:
      'Proxies whose `X-Forwarded-*` headers count: addresses and networks, with commas between them, or `true` for all.',
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
    acceptAnyType: settings.UPLOAD_TYPES ?? false,
    avatarUrl: settings.AVATAR_URL ?? new URL(SETTINGS.AVATAR_URL.default),
    secretKeys: settings.SECRET_KEY,
    google: {
      clientId: settings.GOOGLE_CLIENT_ID,
      clientSecret: settings.GOOGLE_CLIENT_SECRET,
      scope: settings.GOOGLE_SCOPE ?? SETTINGS.GOOGLE_SCOPE.default,
    },
    dropbox: { clientId: settings.DROPBOX_CLIENT_ID, clientSecret: settings.DROPBOX_CLIENT_SECRET },
    providerEmulatorUrl: settings.PROVIDER_EMULATOR_URL,
    trustProxy: settings.TRUST_PROXY ?? false,
    logLevel: settings.LOG_LEVEL ?? SETTINGS.LOG_LEVEL.default,
  }
}

/** "15GB" in bytes, base 1024; null for "unlimited". */
function parseSize(text: string, context: z.RefinementCtx): number | null {
  if (text.toLowerCase() === 'unlimited') return null
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?B)$/i.exec(text) ?? []
  const bytes = Math.floor(Number(amount) * (UNITS[unit?.toUpperCase() ?? ''] ?? Number.NaN))
  if (Number.isSafeInteger(bytes)) return bytes
  context.addIssue('must be a size like 15GB, or unlimited')
  return z.NEVER
}

/** @returns the keys; the first one seals */
function parseKeyring(text: string, context: z.RefinementCtx): Keyring {
  const [first, ...older] = text.split(',').map((key) => key.trim())
  const keys: Keyring = [first ?? '', ...older]
  const isGood = (key: string) => key.length >= SHORTEST_KEY && new Set(key).size >= FEWEST_CHARACTERS
  if (keys.every(isGood)) return keys
  context.addIssue(`must be random text of at least ${SHORTEST_KEY} characters (several with commas between them)`)
  return z.NEVER
}

function shown(name: string, text: string): string {
  return SECRETS.has(name) ? '…' : text
}
