import { randomBytes } from 'node:crypto'
import { filesCommands } from './filesCommands.ts'
import type { Team, User } from './model.ts'
import { issueToken } from './oauth/issue.ts'
import { scopesOf } from './oauth/scopes.ts'
import { type Client, createUser, endGrantsOf, type State, userOf } from './state.ts'

export type DropboxCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }

/** What tests and the demo may do that no client can. */
export function createCommands(state: State) {
  return { ...accountCommands(state), ...tokenCommands(state), ...settingCommands(state), ...filesCommands(state) }
}

type NewUser = {
  readonly email: string
  readonly name?: string
  /** Null = more than anybody fills. */
  readonly quotaBytes: number | null
  readonly usedByOthersBytes?: number
  readonly team?: Team | null
}

type Changes = {
  readonly photoUrl?: string | null
  readonly emailVerified?: boolean
  readonly suspended?: boolean
  /** Whether links may expire or have a password; free accounts cannot. */
  readonly canSetExpiry?: boolean
  readonly team?: Team | null
  readonly rootNamespace?: string
}

function accountCommands(state: State) {
  return {
    addUser(body: NewUser) {
      const user = createUser({ ...body, name: body.name ?? body.email })
      state.users.set(user.email, user)
      return { email: user.email, accountId: user.accountId, uid: user.uid }
    },
    users: () =>
      [...state.users.values()].map((user) => ({
        email: user.email,
        name: user.name,
        accountId: user.accountId,
        quotaBytes: user.quotaBytes,
        usedBytes: user.usedBytes + user.usedByOthersBytes,
        deleted: user.deleted,
      })),
    setQuota({ user, ...quota }: ByUser & { quotaBytes?: number | null; usedByOthersBytes?: number }) {
      Object.assign(userOf(state, user), quota)
    },
    changeUser({ user, ...changes }: ByUser & Changes) {
      Object.assign(userOf(state, user), changes)
    },
    deleteAccount({ user }: ByUser) {
      const found = userOf(state, user)
      endGrantsOf(state, found)
      found.deleted = true
    },
  }
}

function tokenCommands(state: State) {
  return {
    /** Tokens as after a consent, for clients that bring no browser. */
    mintToken({ user, scope, client }: ByUser & { scope?: string; client?: string }) {
      const found = client === undefined ? [...state.clients.values()][0] : state.clients.get(client)
      const scopes = scopesOf(scope ?? null)
      if (!found || !scopes) throw new Error('There is no such client, or no such scope.')
      const refreshToken = randomBytes(32).toString('base64url')
      const id = randomBytes(8).toString('hex')
      const grant = { id, clientId: found.id, user: userOf(state, user), scopes, refreshToken, secretless: false }
      state.grants.set(id, grant)
      return { ...issueToken(state, grant, scopes), refresh_token: refreshToken }
    },
    /** All tokens that there are now; of one user when told. */
    expireAccessTokens({ user }: Partial<ByUser>) {
      for (const token of state.tokens.values())
        if (user === undefined || token.grant.user.email === user) token.expiresAt = 0
    },
    /** As if the user took access away: all tokens there are, not those of a later consent. */
    revokeUser: ({ user }: ByUser) => endGrantsOf(state, userOf(state, user)),
    /** How many tokens of the user still work. */
    tokens({ user }: ByUser) {
      const grants = [...state.grants.values()].filter((grant) => grant.user.email === user)
      const tokens = [...state.tokens.values()].filter(({ expiresAt }) => expiresAt > state.now())
      return {
        refresh: grants.filter(({ refreshToken }) => refreshToken !== null).length,
        access: tokens.filter(({ grant }) => grant.user.email === user).length,
      }
    },
  }
}

function settingCommands(state: State) {
  const { settings, clients, sessions } = state
  const isOf = (user: User | null, owner: string): boolean => user === null || user.uid === owner
  return {
    addClient(body: Client) {
      clients.set(body.id, body)
    },
    /** Of access tokens issued from now on. */
    tokenLife({ seconds }: { seconds: number }) {
      settings.tokenLifeSeconds = seconds
    },
    /** Whether the consent page cuts itself off from the window that opened it. */
    coop({ on }: { on: boolean }) {
      settings.coop = on
    },
    /** Every cursor given so far is answered by `reset`. */
    resetCursors() {
      settings.cursorEpoch += 1
    },
    /** Uploads under way are forgotten; of one user when told. */
    loseSessions({ user }: Partial<ByUser>) {
      const found = user === undefined ? null : userOf(state, user)
      for (const [id, { owner }] of sessions) if (isOf(found, owner)) sessions.delete(id)
    },
    /** When the public link of this key ends; null: never. */
    linkEnd({ key }: { key: string }) {
      const link = [...state.users.values()].map(({ links }) => links.get(key)).find((found) => found)
      if (!link) throw new Error('There is no such link.')
      return link.expires
    },
    /** How long each write keeps others out. */
    writeLock({ ms }: { ms: number }) {
      settings.writeLockMs = ms
    },
  }
}
