import { randomBytes } from 'node:crypto'

export type Client = { readonly id: string; readonly secret: string; readonly redirectUris?: readonly string[] }

export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  quotaBytes: number | null
  usedByOthersBytes: number
  /** Largest upload of the plan. */
  maxUploadBytes: number
  /** What a policy of the account forbids. */
  canShareOpenly: boolean
  canPurge: boolean
  readonly items: Map<string, Item>
  readonly events: BoxEvent[]
}

export type Content = {
  readonly size: number
  readonly sha1: string
  readonly read: (start: number, end: number) => Buffer
}

export type Item = {
  readonly type: 'file' | 'folder' | 'web_link'
  readonly id: string
  name: string
  /** Null for the root folder. */
  parent: string | null
  content: Content | null
  versionId: string
  etag: number
  readonly createdAt: number
  modifiedAt: number
  contentModifiedAt: number
  /** It was moved to the trash itself: what is below a trashed folder goes with it. */
  trashed: boolean
  link: { readonly url: string; unsharedAt: string | null } | null
  /** Permissions that the user does not have. */
  denied: readonly string[]
}

export type BoxEvent = { readonly event_id: string; readonly event_type: string; readonly source: object }

export type Session = {
  readonly id: string
  readonly user: User
  readonly folderId: string
  readonly name: string
  /** The file that gets a new version. */
  readonly fileId: string | null
  readonly size: number
  readonly parts: Map<number, Part>
}
export type Part = { readonly part_id: string; readonly offset: number; readonly bytes: Buffer; readonly sha1: string }

/** What a user has granted to a client: one line of refresh tokens, each valid once. */
export type Grant = {
  readonly clientId: string
  readonly user: User
  refreshToken: string
  previousToken: string | null
  /** Whether a token of the newest answer has been used. */
  isNewestUsed: boolean
  ended: boolean
}

export type State = {
  readonly now: () => number
  readonly clients: Map<string, Client>
  readonly users: Map<string, User>
  readonly codes: Map<
    string,
    { readonly clientId: string; readonly user: User; readonly redirectUri: string | null; readonly expiresAt: number }
  >
  readonly grants: Map<string, Grant>
  readonly accessTokens: Map<string, { readonly grant: Grant; expiresAt: number; readonly refreshToken: string }>
  readonly sessions: Map<string, Session>
  readonly downloads: Map<string, { readonly content: Content; readonly expiresAt: number; readonly user: User }>
  readonly settings: {
    tokenLifeSeconds: number
    /** Refresh tokens stay valid until a token of the next answer is used, as has been seen at Box. */
    refreshGrace: boolean
    partBytes: number
    minSessionBytes: number
    /** Pages of events repeat one of the page before, and are not in order. */
    untidyEvents: boolean
    /** The host of contents refuses requests with an access token, which does not belong there; Box ignores it. */
    strictDownloads: boolean
    coop: boolean
  }
  nextId: number
}

export function createState(now: () => number, clients: readonly Client[]): State {
  return {
    now,
    clients: new Map(clients.map((client) => [client.id, client])),
    users: new Map(),
    codes: new Map(),
    grants: new Map(),
    accessTokens: new Map(),
    sessions: new Map(),
    downloads: new Map(),
    settings: {
      tokenLifeSeconds: 4167,
      refreshGrace: false,
      partBytes: 8 * 1024 * 1024,
      minSessionBytes: 20_000_000,
      untidyEvents: false,
      strictDownloads: false,
      coop: false,
    },
    nextId: 5001,
  }
}

export const newToken = (): string => randomBytes(24).toString('base64url')

export function newId(state: State): string {
  state.nextId += 7
  return String(state.nextId)
}

export function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}
