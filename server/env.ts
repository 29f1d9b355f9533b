import { resolve } from 'node:path'
import { z } from 'zod'
import {
  type BucketAddress,
  bucketAddress,
  connections,
  database,
  headerList,
  type Keyring,
  keyring,
  mailSender,
  mailServer,
  networkList,
  originList,
  port,
  processes,
  type Role,
  ratio,
  roles,
  size,
  storagePlace,
  webAddress,
} from './settingTypes.ts'

export type Config = {
  readonly host: string
  readonly port: number
  /** null: the address of the request, if it is a known name of this server. */
  readonly publicUrl: URL | null
  /** Absolute. */
  readonly dataDir: string
  /** null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null
  /** A way to the same database past PgBouncer, which `databaseUrl` then names; null: there is none. */
  readonly databaseDirectUrl: string | null
  /** Connections in all pools of this server, without those that listen; null: the numbers for a server that has PostgreSQL to itself. */
  readonly databasePool: number | null
  /** What this server does. */
  readonly roles: ReadonlySet<Role>
  /** Processes behind the port; 1: this one. */
  readonly workers: number
  /** The bucket for the bytes of files; null: DATA_DIR. */
  readonly bucket: Bucket | null
  /** Where files are too, because they are being moved (`npm run move-storage`): DATA_DIR, or a bucket; null: nowhere else. */
  readonly storageFrom: 'disk' | Bucket | null
  /** Whether downloads of whole files are sent by the service of the bucket. */
  readonly downloadRedirect: boolean
  /** Storage per user on this server in bytes; null: unlimited. */
  readonly localQuotaBytes: number | null
  /** Bytes that uploads leave free on the disk of `dataDir`. */
  readonly diskReserveBytes: number
  /** Storage of all users together on this server in bytes; null: unlimited. */
  readonly totalQuotaBytes: number | null
  /** Bytes of thumbnails on the disk of `dataDir`; null: unlimited. */
  readonly thumbnailsLimitBytes: number | null
  /** Who can register. */
  readonly registration: 'OPEN' | 'INVITE' | 'CLOSED'
  /** true: accepts files of any type, not only those listed in the upload dialog. */
  readonly acceptAnyType: boolean
  /** Base URL for pictures; a hash of the e-mail address is appended. */
  readonly avatarUrl: URL
  /** The first key encrypts, all decrypt; null: the key is in the data folder. */
  readonly secretKeys: Keyring | null
  /** Provider settings by name; null: not set. */
  /** Missing ones have their default. */
  readonly providers: Readonly<Partial<Record<keyof typeof PROVIDER_SETTINGS, string | null>>>
  /** Token of the bot that confirms Telegram accounts; null: none. */
  readonly telegramBotToken: string | null
  /** SMTP server; null: mails are written to a folder. */
  readonly smtpUrl: URL | null
  /** Sender of mails; null: Skypool at the host of the public URL. */
  readonly mailFrom: string | null
  /** Emulator for all calls to providers; null: the real providers. */
  readonly providerEmulatorUrl: URL | null
  /** Networks with hosts that users may connect although they are not public; true: all private ones. */
  readonly allowPrivateHosts: true | readonly string[]
  /** Polling interval of the changes in each connected account (ms). */
  readonly accountPollMs: number
  /** Calls per minute and API key; null: unlimited. */
  readonly rateLimit: number | null
  /** Allowed CORS origins, for requests with an API key; `*`: all. */
  readonly corsOrigins: ReadonlySet<string>
  /** Fastify's option. */
  readonly trustProxy: boolean | string
  /** Port of `/metrics`; null: not served. */
  readonly metricsPort: number | null
  /** Where traces are sent; null: there are none. */
  readonly traces: TraceSettings | null
  readonly logLevel: string
}

export type TraceSettings = {
  /** Base address of the collector; `/v1/traces` is appended. */
  readonly endpoint: URL
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Part of the traces that begin here and are recorded, from 0 to 1. */
  readonly ratio: number
}
/** As `BucketPlace` in server/storage/s3. */
type Bucket = { readonly [Name in keyof BucketAddress]: NonNullable<BucketAddress[Name]> }

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
const REGISTRATIONS = ['open', 'invite', 'closed'] as const
const GOOGLE_SCOPES = ['drive', 'drive.file'] as const
const DROPBOX_ACCESSES = ['full', 'app_folder'] as const
/** Values that are secret, or can contain a secret: not shown in errors. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SECRET_KEY',
  'STORAGE_URL',
  'STORAGE_FROM',
  'GOOGLE_CLIENT_SECRET',
  'DROPBOX_CLIENT_SECRET',
  'ONEDRIVE_CLIENT_SECRET',
  'BOX_CLIENT_SECRET',
  'GITHUB_CLIENT_SECRET',
  'PCLOUD_CLIENT_SECRET',
  'SMTP_URL',
  'TELEGRAM_BOT_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
])
/** Of a client at a provider. Copied with its quotes or with a part of the page around it, it would be refused there without a reason. */
const clientText = z
  .string()
  .regex(
    /^(?!["'`<\u2018-\u201f].*["'`>\u2018-\u201f]$)\S+$/,
    'must be only the value that the provider shows, without spaces and quotes',
  )
/** Settings of the providers in `server/providers/catalogue.ts`. */
const PROVIDER_SETTINGS = {
  GOOGLE_CLIENT_ID: {
    default: '',
    meaning: 'Client id of an OAuth client of type "Web application" at Google; enables Google Drive.',
    schema: clientText,
  },
  GOOGLE_CLIENT_SECRET: { default: '', meaning: 'Its client secret.', schema: clientText },
  GOOGLE_SCOPE: {
    default: 'drive',
    meaning:
      'Requested access: `drive` (all files of the account) or `drive.file` (only files that Skypool has stored).',
    schema: z.enum(GOOGLE_SCOPES, `must be one of ${GOOGLE_SCOPES.join(', ')}`),
  },
  DROPBOX_CLIENT_ID: {
    default: '',
    meaning: 'App key of this server at Dropbox; enables Dropbox.',
    schema: clientText,
  },
  DROPBOX_CLIENT_SECRET: { default: '', meaning: 'The app secret.', schema: clientText },
  DROPBOX_ACCESS: {
    default: 'full',
    meaning:
      'Type of that app: `full` (Full Dropbox) or `app_folder` (App folder: only files that Skypool has stored).',
    schema: z.enum(DROPBOX_ACCESSES, `must be one of ${DROPBOX_ACCESSES.join(', ')}`),
  },
  ONEDRIVE_CLIENT_ID: {
    default: '',
    meaning: 'Application (client) id of this server at Microsoft Entra; enables OneDrive.',
    schema: clientText,
  },
  ONEDRIVE_CLIENT_SECRET: { default: '', meaning: 'The value of its client secret.', schema: clientText },
  ONEDRIVE_TENANT: {
    default: 'common',
    meaning:
      'Who can connect a OneDrive: `common` (everyone), `consumers` (personal accounts), `organizations` (work and school), or the id of one organisation.',
    schema: z.string().regex(/^[\w.-]+$/, 'must be common, consumers, organizations, or the id of an organisation'),
  },
  BOX_CLIENT_ID: { default: '', meaning: 'Client id of this server at Box; enables Box.', schema: clientText },
  BOX_CLIENT_SECRET: { default: '', meaning: 'The client secret.', schema: clientText },
  GITHUB_CLIENT_ID: {
    default: '',
    meaning: 'Client id of a GitHub App, or of an OAuth app at GitHub; enables GitHub.',
    schema: clientText,
  },
  GITHUB_CLIENT_SECRET: { default: '', meaning: 'Its client secret.', schema: clientText },
  PCLOUD_CLIENT_ID: { default: '', meaning: 'Client id of this server at pCloud; enables pCloud.', schema: clientText },
  PCLOUD_CLIENT_SECRET: { default: '', meaning: 'Its client secret.', schema: clientText },
} as const

/** All settings: default value as text ("" is unset), meaning (`npm run doc-tables` writes it into docs/settings.md), and parser. */
export const SETTINGS = {
  HOST: {
    default: '127.0.0.1',
    meaning: 'Address to listen on. `0.0.0.0` listens on all.',
    schema: z.string(),
  },
  PORT: {
    default: '3000',
    meaning: 'Port to listen on. `0` chooses a free one.',
    schema: port,
  },
  PUBLIC_URL: {
    default: '',
    meaning:
      'Address under which users reach this server, when it is not `localhost` or an IP address: used for links and for checking the Origin. With `https` the session cookie is `Secure`.',
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
      'An external PostgreSQL (14 or newer), as `postgres://user:password@host/database`. Unset: the embedded one.',
    schema: database,
  },
  DATABASE_DIRECT_URL: {
    default: '',
    meaning:
      'The same database without PgBouncer, when `DATABASE_URL` is a PgBouncer in transaction mode: for listening, locks, jobs and migrations, six connections per server. Unset: `DATABASE_URL` is PostgreSQL itself.',
    schema: database,
  },
  DATABASE_POOL: {
    default: '',
    meaning:
      'Database connections per server, from 4 to 1000; five more listen and hold locks. Unset: `10` with `DATABASE_URL` or several `WORKERS`, and up to 46 to the embedded database.',
    schema: connections,
  },
  ROLES: {
    default: 'web,worker',
    meaning:
      'What this server does: `web` answers requests, `worker` runs jobs, transfers and everything else in the background, and answers only `/health` and `/ready`. One of them alone needs `DATABASE_URL`.',
    schema: roles,
  },
  WORKERS: {
    default: '1',
    meaning:
      'Processes that share the port, each a separate server, to use several processors: a number, or `auto` for one per processor.',
    schema: processes,
  },
  STORAGE_URL: {
    default: '',
    meaning:
      'A bucket for the bytes of files, as `s3://key:secret@host/bucket/prefix?region=eu-central-1` ([docs/operations.md](operations.md)). Key, secret and region can be in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_REGION` instead. `path-style=1`: the bucket is in the path of addresses; `tls=0`: http. Requires `SECRET_KEY`. Unset: files are in `DATA_DIR`.',
    schema: bucketAddress,
  },
  STORAGE_FROM: {
    default: '',
    meaning:
      'Where files are until `npm run move-storage` has moved them: `disk`, or a bucket in the format of `STORAGE_URL`. Servers read from both ([docs/operations.md](operations.md)). Unset: nowhere else.',
    schema: storagePlace,
  },
  DOWNLOAD_REDIRECT: {
    default: '0',
    meaning:
      '`1`: downloads of whole files by their owner are answered with an address at the service of `STORAGE_URL`, which is valid for two minutes and which the browser must be able to reach. Never for shares.',
    schema: z.enum(['0', '1'], 'must be 0 or 1').transform((text) => text === '1'),
  },
  LOCAL_QUOTA: {
    default: '15GB',
    meaning: 'Storage on this server for each new user (`B`, `KB`, `MB`, `GB`, `TB`), or `unlimited`.',
    schema: size,
  },
  DISK_RESERVE: {
    default: '1GB',
    meaning:
      'Space that uploads leave free on the disk of `DATA_DIR` for the database, at most a tenth of the disk: uploads that would need it are refused with 507.',
    schema: size.refine((bytes) => bytes !== null, 'must be a size like 1GB'),
  },
  TOTAL_QUOTA: {
    default: 'unlimited',
    meaning: 'Storage on this server for all users together, in the format of `LOCAL_QUOTA`.',
    schema: size,
  },
  THUMBNAILS_LIMIT: {
    default: '2GB',
    meaning:
      'Space for thumbnails in `DATA_DIR`, in the format of `LOCAL_QUOTA`: some 30,000 files per GB. Those used least recently are removed, and made again when they are needed.',
    schema: size,
  },
  REGISTRATION: {
    default: 'open',
    meaning:
      'Who can register: everyone (`open`), holders of an invitation from the administrator (`invite`), no one (`closed`). The first user always can, and becomes the administrator.',
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
      'Source of profile pictures: the SHA-256 of the e-mail address is appended. Only this server requests it, never the browser.',
    schema: webAddress,
  },
  SECRET_KEY: {
    default: '',
    meaning:
      'Encrypts the access to connected accounts: 32 or more random characters. Unset: created at the first start and stored as `secret.key` in the data folder. Several, separated by commas: the first encrypts, all decrypt; after one start the older ones can be removed.',
    schema: keyring,
  },
  ...PROVIDER_SETTINGS,
  TELEGRAM_BOT_TOKEN: {
    default: '',
    meaning: 'Token of a Telegram bot (from @BotFather) that only this installation uses; enables Telegram accounts.',
    schema: z.string().regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be the whole token, as @BotFather shows it'),
  },
  ACCOUNT_POLL_SECONDS: {
    default: '30',
    meaning: 'How often each connected account is asked what has changed there: seconds, from 1 to 600.',
    schema: z
      .string()
      .regex(/^([1-9]\d?|[1-5]\d\d|600)$/, 'must be a whole number from 1 to 600')
      .transform(Number),
  },
  RATE_LIMIT: {
    default: '1200',
    meaning:
      'Calls per minute and API key, on all servers together; `0`: no limit. Browsers with a session are not limited.',
    schema: z
      .string()
      .regex(/^\d{1,9}$/, 'must be a whole number, or 0 for no limit')
      .transform(Number),
  },
  SMTP_URL: {
    default: '',
    meaning:
      'Server for outgoing mail, as `smtp://user:password@host:587` or `smtps://…`. Unset: mails (for example password resets) are written to `mail` in the data folder, and the log names the file.',
    schema: mailServer,
  },
  MAIL_FROM: {
    default: '',
    meaning: 'Sender of mails, as `Skypool <no-reply@example.org>`. Unset: `no-reply@` and the host of `PUBLIC_URL`.',
    schema: mailSender,
  },
  PROVIDER_EMULATOR_URL: {
    default: '',
    meaning: 'For tests and demos: an emulator that receives all calls to providers, as `<url>/@<host>/<path>`.',
    schema: webAddress,
  },
  ALLOW_PRIVATE_HOSTS: {
    default: '',
    meaning:
      'Hosts in private networks that users can connect by their address (WebDAV and others): addresses and networks as `192.168.1.0/24`, separated by commas, or `true` for all, including this machine. Everyone who can register then reaches them. Unset: none.',
    schema: networkList,
  },
  CORS_ORIGINS: {
    default: '',
    meaning:
      'Sites whose pages can call this server with an API key, as `https://app.example.org`, separated by commas, or `*` for all. Cookies are never accepted from there. Unset: none.',
    schema: originList,
  },
  TRUST_PROXY: {
    default: '',
    meaning:
      'Proxies whose `X-Forwarded-*` headers are trusted: addresses and networks, separated by commas, or `true` for all. If unset behind a proxy, all visitors share the rate limits of its address.',
    schema: z.string().transform((text) => (text === 'true' ? true : text)),
  },
  METRICS_PORT: {
    default: '',
    meaning:
      'Port for Prometheus, at `HOST`: `/metrics` there, and nothing else. It must not be reachable from outside. Unset: there are no metrics.',
    schema: port,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    meaning:
      'Collector of OpenTelemetry, as `http://127.0.0.1:4318`: traces are sent there by OTLP over HTTP as JSON. Unset: there are no traces.',
    schema: webAddress,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    meaning: 'Headers for the collector, as `authorization=Bearer%20secret`, separated by commas.',
    schema: headerList,
  },
  OTEL_SERVICE_NAME: { default: 'skypool', meaning: 'Name of this service in traces.', schema: z.string() },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    meaning:
      'Part of the traces that is recorded, from `0` to `1`. A proxy named in `TRUST_PROXY` decides for its requests.',
    schema: ratio,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: `${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
    schema: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  },
} as const

type Settings = { [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name]['schema']> | null }

/** One or more settings are invalid; the message names each and what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the configuration from environment variables; empty values count as unset. @throws ConfigError */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = []
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const text = environment[name]?.trim() || setting.default
    if (text === '') return [name, null]
    const { data, error } = setting.schema.safeParse(text)
    if (error) problems.push(`${name} ${error.issues[0]?.message ?? 'is not valid'}. It is "${shown(name, text)}".`)
    return [name, data]
  })
  const settings = Object.fromEntries(entries) as Settings
  const places = problems.length === 0 ? placesOf(settings, environment, problems) : NOWHERE
  if (problems.length === 0) problems.push(...contradictions(settings))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return toConfig(settings, places)
}

function contradictions({ DATABASE_URL, DATABASE_DIRECT_URL, ROLES }: Settings): string[] {
  if (DATABASE_URL !== null) return []
  const needs = 'needs DATABASE_URL: the embedded database has only one server.'
  return [
    ...(DATABASE_DIRECT_URL === null ? [] : [`DATABASE_DIRECT_URL ${needs}`]),
    ...(ROLES !== null && ROLES.size < 2 ? [`ROLES=${[...ROLES].join()} ${needs}`] : []),
  ]
}

/** Of a server that may share its database with others. */
const SHARED_POOL = 10

type Places = Pick<Config, 'bucket' | 'storageFrom'>

const NOWHERE: Places = { bucket: null, storageFrom: null }

function placesOf(
  { STORAGE_URL: target, STORAGE_FROM: source, SECRET_KEY: keys }: Settings,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Places {
  const complete = (name: string, address: BucketAddress) => bucketOf(name, address, environment, problems)
  if (source === 'disk' && target === null) {
    problems.push('STORAGE_FROM=disk needs STORAGE_URL: the bucket that the files are moved to.')
  } else if (source !== null && source !== 'disk' && target !== null) {
    problems.push(
      'STORAGE_FROM must be disk while STORAGE_URL is set. From one bucket to another, files are moved to the disk first.',
    )
  }
  const used = [target && 'STORAGE_URL', source && source !== 'disk' && 'STORAGE_FROM'].find(Boolean)
  if (used && keys === null) {
    problems.push(
      `SECRET_KEY must be set together with ${used}: a key in DATA_DIR would be lost with the disk of this server.`,
    )
  }
  return {
    bucket: target && complete('STORAGE_URL', target),
    storageFrom: source === null || source === 'disk' ? source : complete('STORAGE_FROM', source),
  }
}

/** The bucket with the parts that are in standard AWS variables. */
function bucketOf(
  setting: string,
  address: BucketAddress,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Bucket {
  const accessKey = address.accessKey ?? environment.AWS_ACCESS_KEY_ID ?? ''
  const secretKey = address.secretKey ?? environment.AWS_SECRET_ACCESS_KEY ?? ''
  const region = address.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1'
  if (accessKey === '' || secretKey === '') {
    problems.push(
      `${setting} must contain an access key and its secret, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.`,
    )
  }
  return { ...address, accessKey, secretKey, region }
}

function toConfig(settings: Settings, places: Places): Config {
  const workers = settings.WORKERS ?? 1
  const isShared = settings.DATABASE_URL !== null || workers > 1
  return {
    ...places,
    downloadRedirect: settings.DOWNLOAD_REDIRECT ?? false,
    host: settings.HOST ?? SETTINGS.HOST.default,
    port: settings.PORT ?? Number(SETTINGS.PORT.default),
    publicUrl: settings.PUBLIC_URL,
    dataDir: settings.DATA_DIR ?? resolve(SETTINGS.DATA_DIR.default),
    databaseUrl: settings.DATABASE_URL,
    databaseDirectUrl: settings.DATABASE_DIRECT_URL,
    databasePool: settings.DATABASE_POOL ?? (isShared ? SHARED_POOL : null),
    roles: settings.ROLES ?? new Set<Role>(['web', 'worker']),
    workers,
    localQuotaBytes: settings.LOCAL_QUOTA,
    diskReserveBytes: settings.DISK_RESERVE ?? 0,
    totalQuotaBytes: settings.TOTAL_QUOTA,
    thumbnailsLimitBytes: settings.THUMBNAILS_LIMIT,
    registration: (settings.REGISTRATION ?? SETTINGS.REGISTRATION.default).toUpperCase() as Config['registration'],
    acceptAnyType: settings.UPLOAD_TYPES ?? true,
    avatarUrl: settings.AVATAR_URL ?? new URL(SETTINGS.AVATAR_URL.default),
    secretKeys: settings.SECRET_KEY,
    providers: pick(settings, PROVIDER_SETTINGS),
    telegramBotToken: settings.TELEGRAM_BOT_TOKEN,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    providerEmulatorUrl: settings.PROVIDER_EMULATOR_URL,
    accountPollMs: 1_000 * (settings.ACCOUNT_POLL_SECONDS ?? Number(SETTINGS.ACCOUNT_POLL_SECONDS.default)),
    rateLimit: settings.RATE_LIMIT || null,
    allowPrivateHosts: settings.ALLOW_PRIVATE_HOSTS ?? [],
    corsOrigins: settings.CORS_ORIGINS ?? new Set(),
    trustProxy: settings.TRUST_PROXY ?? false,
    metricsPort: settings.METRICS_PORT,
    traces: tracesOf(settings),
    logLevel: settings.LOG_LEVEL ?? SETTINGS.LOG_LEVEL.default,
  }
}

function tracesOf(settings: Settings): TraceSettings | null {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  return (
    endpoint && {
      endpoint,
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      serviceName: settings.OTEL_SERVICE_NAME ?? SETTINGS.OTEL_SERVICE_NAME.default,
      ratio: settings.OTEL_TRACES_SAMPLER_ARG ?? 1,
    }
  )
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
