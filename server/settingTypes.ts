import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'

// Parsers of setting values; their error messages follow the name of the setting.

/** What a server does: `web` answers requests, `worker` does everything that no request waits for. */
export type Role = 'web' | 'worker'

export type Keyring = readonly [string, ...string[]]

const ROLES: readonly Role[] = ['web', 'worker']
const MOST_PROCESSES = 64
const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }
const SHORTEST_KEY = 32
const FEWEST_CHARACTERS = 8
const PORT_ERROR = 'must be a whole number from 0 to 65535'

export const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_ERROR)
  .transform(Number)
  .refine((port) => port <= 65535, PORT_ERROR)

export const ratio = z
  .string()
  .regex(/^(0|1|0?\.\d+|1\.0+|0\.0+)$/, 'must be a number from 0 to 1')
  .transform(Number)

export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be a web address, like https://files.example.org' })
  .transform((text) => new URL(text))

/** Origins separated by commas, or `*` for all. */
export const originList = z.string().transform(parseOrigins)

/** Addresses and networks in CIDR notation, separated by commas; true for all, an empty list for none. */
export const networkList = z.string().transform(parseNetworks)

export const database = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must look like postgres://user:password@host/database',
})

/** At least one for each use (server/db/pools.ts). */
export const connections = wholeNumber(4, 1_000)

/** Number of processes; `auto`: the processors that this process may use. */
export const processes = z
  .string()
  .transform((text) => (text === 'auto' ? String(Math.min(availableParallelism(), MOST_PROCESSES)) : text))
  .pipe(wholeNumber(1, MOST_PROCESSES, 'auto or '))

export const roles = z.string().transform(parseRoles)

export const mailServer = z
  .url({ protocol: /^smtps?$/, error: 'must look like smtp://user:password@host:587' })
  .transform((text) => new URL(text))

/** A bucket of a service with the S3 API, without the parts that standard AWS variables can set. */
export const bucketAddress = z.string().transform(parseBucket)

/** Where files are: `disk`, or a bucket. */
export const storagePlace = z.union([z.literal('disk'), bucketAddress], 'must be disk, or a bucket like STORAGE_URL')

export const mailSender = z
  .string()
  .regex(
    /^([^"<>@\p{Cc}]*<[^\s<>@"\p{Cc}]+@[^\s<>@"\p{Cc}]+>|[^\s<>@"\p{Cc}]+@[^\s<>@"\p{Cc}]+)$/u,
    'must look like Skypool <no-reply@example.org>',
  )

/** `name=value`, separated by commas, the values percent-encoded, as OpenTelemetry defines it. */
export const headerList = z.string().transform(parseHeaders)

export const size = z.string().transform(parseSize)

export const keyring = z.string().transform(parseKeyring)

function wholeNumber(least: number, most: number, or = '') {
  const error = `must be ${or}a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((number) => number >= least && number <= most, error)
}

function parseRoles(text: string, context: z.RefinementCtx): ReadonlySet<Role> {
  const names = new Set(text.split(',').map((name) => name.trim()))
  const found = ROLES.filter((role) => names.has(role))
  if (found.length === names.size) return new Set(found)
  context.addIssue('must be web, worker, or both separated by a comma')
  return z.NEVER
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

function parseHeaders(text: string, context: z.RefinementCtx): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(\S.*?)\s*$/.exec(pair))
  try {
    const headers = pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')])
    if (headers.every(([name, value]) => name !== '' && /^[\x20-\x7e]+$/.test(value ?? '')))
      return Object.fromEntries(headers)
  } catch {
    // A percent sign that encodes nothing: answered like any other wrong form.
  }
  context.addIssue('must be headers like name=value, separated by commas')
  return z.NEVER
}

function parseOrigins(text: string, context: z.RefinementCtx): ReadonlySet<string> {
  const origins = text.split(',').map((origin) => origin.trim())
  if (origins.every((origin) => origin === '*' || isOrigin(origin))) return new Set(origins)
  context.addIssue('must be origins like https://app.example.org, separated by commas, or *')
  return z.NEVER
}

function parseNetworks(text: string, context: z.RefinementCtx): true | readonly string[] {
  if (text === 'true') return true
  if (text === 'false') return []
  const networks = text.split(',').map((network) => network.trim())
  if (networks.every(isNetwork)) return networks
  context.addIssue('must be addresses or networks like 192.168.1.0/24, separated by commas, or true')
  return z.NEVER
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...more] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && !address.includes('%')
}

/** As browsers send it: scheme, host in lower case, port unless it is the default, nothing else. Apps use other schemes. */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text && !text.includes('*')
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(text)
}

/** @returns the keys; the first one encrypts */
function parseKeyring(text: string, context: z.RefinementCtx): Keyring {
  const [first, ...older] = text.split(',').map((key) => key.trim())
  const keys: Keyring = [first ?? '', ...older]
  const isGood = (key: string) => key.length >= SHORTEST_KEY && new Set(key).size >= FEWEST_CHARACTERS
  if (keys.every(isGood)) return keys
  context.addIssue(`must be random text of at least ${SHORTEST_KEY} characters (several separated by commas)`)
  return z.NEVER
}

/** As `BucketPlace` in server/storage/s3; null: not in the address. */
export type BucketAddress = {
  readonly endpoint: string
  readonly bucket: string
  readonly prefix: string
  readonly region: string | null
  readonly style: 'path' | 'host'
  readonly accessKey: string | null
  readonly secretKey: string | null
}

const BUCKET_FORM =
  'must look like s3://key:secret@host/bucket/prefix?region=eu-central-1, with path-style=1 or tls=0 where the service needs it'
const BUCKET_OPTIONS: ReadonlySet<string> = new Set(['region', 'path-style', 'tls'])

function parseBucket(text: string, context: z.RefinementCtx): BucketAddress {
  const parsed = URL.canParse(text) ? bucketIn(new URL(text)) : null
  if (parsed) return parsed
  context.addIssue(BUCKET_FORM)
  return z.NEVER
}

function bucketIn(url: URL): BucketAddress | null {
  const { protocol, host, searchParams, hash } = url
  const [bucket = '', ...names] = url.pathname.split('/').filter((name) => name !== '')
  const options = [...searchParams.keys()]
  const switches = [searchParams.get('path-style') ?? '0', searchParams.get('tls') ?? '1']
  const isGood =
    protocol === 's3:' &&
    host !== '' &&
    hash === '' &&
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) &&
    names.every((name) => /^[\w.-]+$/.test(name) && !/^\.+$/.test(name)) &&
    options.every((name) => BUCKET_OPTIONS.has(name)) &&
    switches.every((text) => text === '0' || text === '1')
  if (!isGood) return null
  return {
    endpoint: `${switches[1] === '1' ? 'https' : 'http'}://${host}`,
    bucket,
    prefix: names.join('/'),
    region: searchParams.get('region') || null,
    style: switches[0] === '1' ? 'path' : 'host',
    accessKey: decoded(url.username),
    secretKey: decoded(url.password),
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text) || null
  } catch {
    return null
  }
}
