import { randomBytes } from 'node:crypto'
import { filesCommands } from './filesCommands.ts'
import { scopesOf } from './oauth/page.ts'
import { type Client, createUser, endGrantsOf, issueTokens, type NewUser, type State, userOf } from './state.ts'

export type OneDriveCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }

/** What tests and the demo may do that no client can. */
export function createCommands(state: State) {
  return { ...accountCommands(state), ...tokenCommands(state), ...settingCommands(state), ...filesCommands(state) }
}

type Changes = {
  readonly hidesQuota?: boolean
  readonly forbidsLinks?: boolean
  /** Whether links may expire; free personal accounts cannot. */
  readonly canSetExpiry?: boolean
  readonly rewritesOffice?: boolean
  readonly refusesPermanentDelete?: boolean
}

function accountCommands(state: State) {
  return {
    addUser(body: Omit<NewUser, 'name'> & { readonly name?: string }) {
      const user = createUser({ ...body, name: body.name ?? body.email }, state.now())
      state.users.set(user.email, user)
      return { email: user.email, id: user.id, driveId: user.driveId, driveType: user.driveType }
    },
    users: () =>
      [...state.users.values()].map(({ email, name, id, driveType, quotaBytes, usedBytes, recycledBytes }) => ({
        email,
        name,
        id,
        driveType,
        quotaBytes,
        usedBytes,
        recycledBytes,
      })),
    setQuota({ user, ...quota }: ByUser & { quotaBytes?: number; usedByOthersBytes?: number }) {
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
    mintToken({ user, scope = 'offline_access User.Read Files.ReadWrite' }: ByUser & { scope?: string }) {
      const client = [...state.clients.values()][0]
      const scopes = scopesOf(scope)
      if (!client || !scopes) throw new Error('There is no client, or no such scope.')
      const id = randomBytes(8).toString('hex')
      const grant = { id, clientId: client.id, user: userOf(state, user), scopes, refreshTokens: new Set<string>() }
      state.grants.set(id, grant)
      return issueTokens(state, grant)
    },
    /** All tokens that there are now; of one user where that is given. */
    expireAccessTokens({ user }: Partial<ByUser>) {
      for (const token of state.tokens.values())
        if (user === undefined || token.grant.user.email === user) token.expiresAt = 0
    },
    /** As if the user took access away: all tokens there are, not those of a later consent. */
    revokeUser: ({ user }: ByUser) => endGrantsOf(state, userOf(state, user)),
    /** How many grants and refresh tokens of the user still work. */
    tokens({ user }: ByUser) {
      const grants = [...state.grants.values()].filter((grant) => grant.user.email === user)
      return { grants: grants.length, refresh: grants.reduce((sum, { refreshTokens }) => sum + refreshTokens.size, 0) }
    },
  }
}

function settingCommands(state: State) {
  const { settings, clients, sessions, downloads } = state
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
    /** Every link to changes given so far is answered by 410. */
    resetDelta() {
      settings.deltaEpoch += 1
    },
    /** Whether lists of changes repeat items, in earlier states too. */
    repeatItems({ on }: { on: boolean }) {
      settings.repeats = on
    },
    /** Whether addresses of uploads and contents tolerate an access token. */
    tolerateTokens({ on }: { on: boolean }) {
      settings.toleratesTokens = on
    },
    /** How the next copies go: how many times they are still running, and with which code they fail. */
    copies({ polls = 0, fails = null }: { polls?: number; fails?: string | null }) {
      Object.assign(settings, { copyPolls: polls, copyFails: fails })
    },
    /** Uploads in progress are forgotten; with `user` only those of that user. */
    loseSessions({ user }: Partial<ByUser>) {
      for (const [id, session] of sessions) if (user === undefined || session.user.email === user) sessions.delete(id)
    },
    /** All addresses of contents given so far have expired. */
    expireDownloads() {
      downloads.clear()
    },
    sessions: () => sessions.size,
  }
}
