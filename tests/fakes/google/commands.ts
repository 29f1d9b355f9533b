import { filesCommands, userOf } from './filesCommands.ts'
import type { Google } from './google.ts'
import type { Client } from './oauth/grants.ts'
import { expandScopes } from './oauth/scopes.ts'
import { photosCommands } from './photos/commands.ts'

export type GoogleCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }

/** What tests and the demo may do that no client can. */
export function createCommands(google: Google) {
  const { grants, store } = google
  return {
    /** quotaBytes null = unlimited. */
    addUser(body: { email: string; name?: string; quotaBytes: number | null; usedByOthersBytes?: number }) {
      const { email, name = email, quotaBytes, usedByOthersBytes } = body
      const { sub, permissionId, rootId } = store.addUser({ email, name, quotaBytes, usedByOthersBytes })
      return { email, sub, permissionId, rootId }
    },
    addClient(body: Client) {
      grants.clients.set(body.id, { ...body, redirectUris: body.redirectUris ?? null })
    },
    users: () =>
      [...store.users.values()].map((user) => ({
        email: user.email,
        name: user.name,
        sub: user.sub,
        quotaBytes: user.quotaBytes,
        usedBytes: store.usage(user).total,
        deleted: user.deleted,
      })),
    setQuota({
      user,
      quotaBytes,
      usedByOthersBytes,
    }: ByUser & { quotaBytes?: number | null; usedByOthersBytes?: number }) {
      const found = userOf(google, user)
      if (quotaBytes !== undefined) found.quotaBytes = quotaBytes
      if (usedByOthersBytes !== undefined) found.usedByOthersBytes = usedByOthersBytes
    },
    /** Tokens as after a consent, for clients that bring no browser. */
    mintToken({
      user,
      scope = 'https://www.googleapis.com/auth/drive',
      client,
    }: ByUser & { scope?: string; client?: string }) {
      const found = client === undefined ? [...grants.clients.values()][0] : grants.clients.get(client)
      const scopes = expandScopes(scope)
      if (!found || !scopes) throw new Error('There is no such client, or no such scope.')
      const grant = grants.allow(userOf(google, user), found, scopes)
      return {
        access_token: grants.issueAccess(grant, scopes),
        refresh_token: grants.issueRefresh(grant, scopes),
        expires_in: grants.settings.tokenLifeSeconds,
      }
    },
    /** Of access tokens issued from now on. */
    tokenLife({ seconds }: { seconds: number }) {
      grants.settings.tokenLifeSeconds = seconds
    },
    /** Whether a refresh gives a new refresh token and ends the old one. Google does not; others do. */
    rotation({ on }: { on: boolean }) {
      grants.settings.rotation = on
    },
    /** Whether the consent page cuts itself off from the window that opened it. */
    coop({ on }: { on: boolean }) {
      grants.settings.coop = on
    },
    expireAccessTokens: ({ user }: ByUser) => grants.expireAccess(userOf(google, user)),
    /** As if the user took access away: all tokens there are, not those of a later consent. */
    revokeUser: ({ user }: ByUser) => grants.revokeUser(userOf(google, user)),
    deleteAccount({ user }: ByUser) {
      userOf(google, user).deleted = true
    },
    /** How many tokens of the user still work. */
    tokens: ({ user }: ByUser) => grants.liveTokens(userOf(google, user)),
    /** Uploads under way are forgotten. */
    loseSessions({ user }: ByUser) {
      for (const [id, session] of google.sessions) if (session.call.user.email === user) google.sessions.delete(id)
    },
    ...filesCommands(google),
    ...photosCommands(google),
  }
}
