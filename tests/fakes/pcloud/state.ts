import { createHash, randomBytes } from 'node:crypto'

export type Client = { readonly id: string; readonly secret: string; readonly redirectUris?: readonly string[] }

/** The API hosts of the two regions, by `locationid`. */
export const REGIONS: Readonly<Record<number, string>> = { 1: 'api.pcloud.com', 2: 'eapi.pcloud.com' }

/** A `result` that is no success; the HTTP status is 200. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly result: number,
    readonly words: string,
  ) {
    super(words)
  }
}

export const REFUSALS = {
  loginRequired: () => new Refusal(1000, 'Log in required.'),
  loginFailed: () => new Refusal(2000, 'Log in failed.'),
  invalidToken: () => new Refusal(2094, "Invalid 'access_token' provided."),
  badName: () => new Refusal(2001, 'Invalid file/folder name.'),
  denied: () => new Refusal(2003, 'Access denied. You do not have permissions to preform this operation.'),
  exists: () => new Refusal(2004, 'File or folder alredy exists.'),
  noFolder: () => new Refusal(2005, 'Directory does not exist.'),
  full: () => new Refusal(2008, 'User is over quota.'),
  noFile: () => new Refusal(2009, 'File not found.'),
  noUpload: () => new Refusal(2067, 'Upload not found.'),
} as const

export type Content = { readonly bytes: Buffer; readonly sha1: string; readonly hash: string }

export type Item = {
  readonly id: number
  readonly isFolder: boolean
  name: string
  /** Null for the root. */
  parent: number | null
  content: Content | null
  readonly createdAt: number
  modifiedAt: number
  readonly rights: Readonly<Record<string, boolean>>
}

export type Event = {
  readonly event: string
  readonly id: number
  readonly time: number
  readonly metadata: object | null
}
export type Link = { readonly linkid: number; readonly code: string; readonly item: Item; expires: number | null }

export type User = {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly location: 1 | 2
  quotaBytes: number
  usedByOthersBytes: number
  canExpireLinks: boolean
  readonly items: Map<string, Item>
  readonly trash: Map<string, Item>
  readonly events: Event[]
  readonly links: Map<number, Link>
}

export type Upload = { readonly id: number; readonly user: User; bytes: Buffer }

export type State = {
  readonly now: () => number
  readonly clients: Map<string, Client>
  readonly users: Map<string, User>
  readonly codes: Map<
    string,
    { readonly clientId: string; readonly user: User; readonly redirectUri: string; readonly expiresAt: number }
  >
  readonly tokens: Map<string, User>
  readonly uploads: Map<number, Upload>
  readonly downloads: Map<
    string,
    { readonly content: Content; readonly user: User; readonly expiresAt: number; readonly type?: string }
  >
  readonly settings: { coop: boolean; dropState: boolean; firstEvent: number }
  nextId: number
}

export function createState(now: () => number, clients: readonly Client[]): State {
  return {
    now,
    clients: new Map(clients.map((client) => [client.id, client])),
    users: new Map(),
    codes: new Map(),
    tokens: new Map(),
    uploads: new Map(),
    downloads: new Map(),
    settings: { coop: false, dropState: false, firstEvent: 7_000 },
    nextId: 4_100_000_000,
  }
}

export const newToken = (): string => randomBytes(24).toString('base64url')

export function newId(state: State): number {
  state.nextId += 13
  return state.nextId
}

export function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

/** `hash` is a number of 64 bits. */
export function contentOf(bytes: Buffer): Content {
  const sha1 = createHash('sha1').update(bytes).digest('hex')
  return { bytes, sha1, hash: String(BigInt(`0x${sha1.slice(0, 15)}`) + 10_000_000_000_000_000_000n) }
}
