import { randomBytes, randomUUID } from 'node:crypto'
import { type Blobs, createBlobs } from '../core/blobs.ts'
import type { Content, CopyJob, DriveType, Item, UploadSession, User } from './model.ts'

/** An app as registered in the service's console. */
export type Client = {
  readonly id: string
  readonly secret: string
  /** Any when absent or null. */
  readonly redirectUris?: readonly string[] | null
}

/** What a user allowed an app. Earlier refresh tokens stay valid. */
export type Grant = {
  readonly id: string
  readonly clientId: string
  readonly user: User
  readonly scopes: readonly string[]
  readonly refreshTokens: Set<string>
}

export type AccessToken = { readonly grant: Grant; expiresAt: number }

/** What an authorization code stands for; used once. */
export type Code = {
  readonly clientId: string
  readonly user: User
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly challenge: { readonly value: string; readonly method: string } | null
  readonly expiresAt: number
}

export type DownloadAddress = { readonly user: User; readonly item: Item; readonly content: Content; expiresAt: number }

export type Settings = {
  tokenLifeSeconds: number
  coop: boolean
  /** Grows when all links to changes are to be refused. */
  deltaEpoch: number
  /** Lists of changes contain items repeatedly: an earlier state, and again the last one of the page before. */
  repeats: boolean
  /** Tolerates access tokens at addresses that are credentials themselves, to which rclone 1.60 sends them. */
  toleratesTokens: boolean
  /** How many times the next copies are still running when they are asked for, and with which code they fail. */
  copyPolls: number
  copyFails: string | null
}

/** All that the emulated service knows. */
export type State = {
  readonly now: () => number
  readonly blobs: Blobs
  readonly clients: Map<string, Client>
  /** By email. */
  readonly users: Map<string, User>
  readonly codes: Map<string, Code>
  readonly grants: Map<string, Grant>
  readonly tokens: Map<string, AccessToken>
  readonly sessions: Map<string, UploadSession>
  readonly downloads: Map<string, DownloadAddress>
  readonly copies: Map<string, CopyJob>
  readonly settings: Settings
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
    downloads: new Map(),
    copies: new Map(),
    settings: {
      tokenLifeSeconds: 3600,
      coop: false,
      deltaEpoch: 0,
      repeats: false,
      toleratesTokens: false,
      copyPolls: 0,
      copyFails: null,
    },
  }
}

export type NewUser = {
  readonly email: string
  readonly name: string
  readonly quotaBytes: number
  readonly usedByOthersBytes?: number
  readonly driveType?: DriveType
}

export function createUser(
  { email, name, quotaBytes, usedByOthersBytes = 0, driveType = 'personal' }: NewUser,
  now: number,
): User {
  const cid = randomBytes(8).toString('hex')
  const isPersonal = driveType === 'personal'
  const driveId = isPersonal ? cid.toUpperCase() : `b!${randomBytes(48).toString('base64url')}`
  const rootId = isPersonal ? `${driveId}!101` : newId()
  const root: Item = {
    id: rootId,
    name: 'root',
    parentId: null,
    kind: 'folder',
    content: null,
    mimeType: '',
    created: now,
    modified: now,
    ownTimes: {},
    version: 1,
    contentVersion: 1,
    permissions: [],
  }
  return {
    email,
    name,
    id: isPersonal ? cid : randomUUID(),
    driveId,
    driveType,
    rootId,
    quotaBytes,
    usedByOthersBytes,
    hidesQuota: false,
    forbidsLinks: false,
    canSetExpiry: true,
    rewritesOffice: false,
    refusesPermanentDelete: false,
    deleted: false,
    usedBytes: 0,
    recycledBytes: 0,
    items: new Map([[rootId, root]]),
    children: new Map([[rootId, new Map()]]),
    changes: [],
    gone: new Map(),
  }
}

export const newId = (): string => `01${randomBytes(20).toString('hex').slice(0, 32).toUpperCase()}`

/** A user by email; throws when there is none. */
export function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

/** A new access token of a grant, with another refresh token. */
export function issueTokens(state: State, grant: Grant) {
  const accessToken = `EwB.${randomBytes(96).toString('base64url')}`
  const refreshToken = `M.C5.${randomBytes(48).toString('base64url')}`
  const life = state.settings.tokenLifeSeconds
  state.tokens.set(accessToken, { grant, expiresAt: state.now() + life * 1000 })
  grant.refreshTokens.add(refreshToken)
  return {
    token_type: 'Bearer',
    scope: grant.scopes.filter((scope) => scope !== 'offline_access').join(' '),
    expires_in: life,
    ext_expires_in: life,
    access_token: accessToken,
    refresh_token: refreshToken,
  }
}

/** Ends a grant with all its tokens. */
function endGrant(state: State, grant: Grant): void {
  state.grants.delete(grant.id)
  for (const [value, token] of state.tokens) if (token.grant === grant) state.tokens.delete(value)
}

export function endGrantsOf(state: State, user: User): void {
  for (const grant of [...state.grants.values()]) if (grant.user === user) endGrant(state, grant)
}
