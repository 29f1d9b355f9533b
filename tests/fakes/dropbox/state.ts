import { randomBytes, randomInt } from 'node:crypto'
import { type Blobs, createBlobs } from '../core/blobs.ts'
import type { Team, UploadSession, User } from './model.ts'

/** An app as registered in the service's console. */
export type Client = {
  readonly id: string
  readonly secret: string
  /** Any when absent or null. */
  readonly redirectUris?: readonly string[] | null
}

/** What a user allowed an app; ends when the user or the app revokes it. */
export type Grant = {
  readonly id: string
  readonly clientId: string
  readonly user: User
  readonly scopes: readonly string[]
  /** Null when the app asked for no offline access. */
  readonly refreshToken: string | null
  /** Given to an app that proved itself by PKCE alone; such an app also refreshes without its secret. */
  readonly secretless: boolean
}

export type AccessToken = { readonly grant: Grant; readonly scopes: readonly string[]; expiresAt: number }

/** What an authorization code stands for; used once. */
export type Code = {
  readonly clientId: string
  readonly user: User
  readonly scopes: readonly string[]
  readonly redirectUri: string | null
  readonly challenge: { readonly value: string; readonly method: 'S256' | 'plain' } | null
  readonly offline: boolean
  readonly expiresAt: number
}

/** All that the emulated service knows. */
export type State = {
  readonly now: () => number
  readonly blobs: Blobs
  readonly clients: Map<string, Client>
  /** By email. */
  readonly users: Map<string, User>
  readonly codes: Map<string, Code>
  /** By id. */
  readonly grants: Map<string, Grant>
  readonly tokens: Map<string, AccessToken>
  readonly sessions: Map<string, UploadSession>
  /** Sessions that have become files. */
  readonly finished: Set<string>
  readonly temporaryLinks: Map<string, { readonly user: User; readonly entryId: string; readonly expiresAt: number }>
  readonly settings: Settings
}

export type Settings = {
  tokenLifeSeconds: number
  coop: boolean
  /** Grows when all cursors are to be refused. */
  cursorEpoch: number
  /** How long a commit keeps the account's write lock; others meanwhile are told too_many_write_operations. */
  writeLockMs: number
}

export function createState(now: () => number, clients: readonly Client[]): State {
  return {
    now,
    blobs: createBlobs(),
    clients: new Map(clients.map((client) => [client.id, client])),
    users: new Map(),
    codes: new Map(),
    grants: new Map(),
    tokens: new Map(),
    sessions: new Map(),
    finished: new Set(),
    temporaryLinks: new Map(),
    settings: { tokenLifeSeconds: 14_400, coop: false, cursorEpoch: 0, writeLockMs: 0 },
  }
}

export type NewUser = {
  readonly email: string
  readonly name: string
  /** Null = more than anybody fills. */
  readonly quotaBytes: number | null
  readonly usedByOthersBytes?: number
  readonly team?: Team | null
}

export function createUser(input: NewUser): User {
  const namespace = String(randomInt(1_000_000, 9_999_999_999))
  return {
    email: input.email,
    name: input.name,
    accountId: `dbid:AA${randomBytes(25).toString('base64url').slice(0, 33)}`,
    uid: String(randomInt(1_000_000, 999_999_999)),
    homeNamespace: namespace,
    rootNamespace: namespace,
    quotaBytes: input.quotaBytes,
    usedByOthersBytes: input.usedByOthersBytes ?? 0,
    team: input.team ?? null,
    photoUrl: null,
    emailVerified: true,
    suspended: false,
    deleted: false,
    canSetExpiry: true,
    entries: new Map(),
    children: new Map(),
    byId: new Map(),
    formerPaths: new Map(),
    changes: [],
    trash: new Map(),
    lastWrite: new Map(),
    links: new Map(),
    waiting: new Set(),
    usedBytes: 0,
    lockedUntil: 0,
  }
}

/** A user by email; throws when there is none. */
export function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

/** Ends a grant with its refresh token and all its access tokens. */
export function endGrant(state: State, grant: Grant): void {
  state.grants.delete(grant.id)
  for (const [value, token] of state.tokens) if (token.grant.id === grant.id) state.tokens.delete(value)
}

export function endGrantsOf(state: State, user: User): void {
  for (const grant of [...state.grants.values()]) if (grant.user === user) endGrant(state, grant)
}
