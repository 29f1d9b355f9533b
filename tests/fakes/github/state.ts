import { createHash, randomBytes } from 'node:crypto'

/** `isApp`: a GitHub App, whose user tokens expire and which may use only repositories that it is installed for. */
export type Client = {
  readonly id: string
  readonly secret: string
  readonly isApp?: boolean
  readonly redirectUris?: readonly string[]
}

export type User = {
  readonly id: number
  readonly login: string
  /** For the consent page and commands; the API shows it only where it is public. */
  readonly email: string
  readonly name: string
  isEmailPublic: boolean
  /** The installation of the app, and the ids of its repositories. */
  installation: { readonly id: number; readonly repositories: Set<number> } | null
}

export type Repository = {
  readonly id: number
  readonly owner: User
  name: string
  /** Earlier names, which redirect. */
  readonly names: string[]
  isPrivate: boolean
  isArchived: boolean
  /** Releases need a commit. */
  hasCommit: boolean
  readonly files: Map<string, Buffer>
  readonly releases: Map<number, Release>
}

export type Release = {
  readonly id: number
  readonly tag: string
  readonly name: string
  readonly body: string
  readonly isLatest: boolean
  readonly createdAt: number
  readonly assets: Map<number, Asset>
}

export type Asset = {
  readonly id: number
  name: string
  label: string | null
  readonly type: string
  /** `starter` until all bytes have arrived. */
  state: 'starter' | 'uploaded'
  bytes: Buffer
  readonly createdAt: number
}

/** What a user has granted to a client. Of an app, each refresh ends the tokens before. */
export type Grant = {
  readonly client: Client
  readonly user: User
  readonly scopes: readonly string[]
  refreshToken: string | null
  ended: boolean
}
export type AccessToken = { readonly grant: Grant; expiresAt: number; ended: boolean }

export type Code = {
  readonly client: Client
  readonly user: User
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly challenge: string | null
  readonly expiresAt: number
}

export type State = {
  readonly now: () => number
  readonly clients: Map<string, Client>
  readonly users: Map<string, User>
  readonly repositories: Map<number, Repository>
  readonly codes: Map<string, Code>
  readonly grants: Set<Grant>
  readonly accessTokens: Map<string, AccessToken>
  readonly downloads: Map<string, { readonly asset: Asset; readonly user: User; readonly expiresAt: number }>
  /** Hourly limit of each user; counted since `resetAt`. */
  readonly used: Map<User, { calls: number; resetAt: number }>
  /** Times of the last contents that each user has created. */
  readonly created: Map<User, number[]>
  readonly settings: {
    callsPerHour: number
    createdPerMinute: number
    assetsPerRelease: number
    /** Small contents are sent by the API itself. */
    isDirect: boolean
    /** Whether the consent page cuts itself off from the window that opened it. */
    coop: boolean
  }
  nextId: number
}

export function createState(now: () => number, clients: readonly Client[]): State {
  return {
    now,
    clients: new Map(clients.map((client) => [client.id, client])),
    users: new Map(),
    repositories: new Map(),
    codes: new Map(),
    grants: new Set(),
    accessTokens: new Map(),
    downloads: new Map(),
    used: new Map(),
    created: new Map(),
    settings: { callsPerHour: 5000, createdPerMinute: 80, assetsPerRelease: 1000, isDirect: false, coop: false },
    nextId: 1000,
  }
}

export function newId(state: State): number {
  state.nextId += 3
  return state.nextId
}

/** With the prefixes of GitHub: gho_ and ghu_ for users, ghr_ for refresh tokens. */
export const newToken = (prefix: string): string => prefix + randomBytes(18).toString('hex')

export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export function userOf(state: State, email: string): User {
  const user = state.users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

export function repositoriesOf(state: State, user: User): Repository[] {
  return [...state.repositories.values()].filter(({ owner }) => owner === user)
}

export function addRepository(state: State, owner: User, name: string, given: Partial<Repository> = {}): Repository {
  const repository: Repository = {
    id: newId(state),
    owner,
    name,
    names: [name],
    isPrivate: true,
    isArchived: false,
    hasCommit: false,
    files: new Map(),
    releases: new Map(),
    ...given,
  }
  state.repositories.set(repository.id, repository)
  return repository
}
