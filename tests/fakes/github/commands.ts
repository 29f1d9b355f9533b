import { createHash } from 'node:crypto'
import { issue, newGrant } from './oauth.ts'
import {
  addRepository,
  type Client,
  newId,
  type Repository,
  repositoriesOf,
  type State,
  type User,
  userOf,
} from './state.ts'

export type GithubCommands = ReturnType<typeof createCommands>

type ByUser = { readonly user: string }
type ByRepository = ByUser & { readonly repository: string }

/** What tests and the demo may do that no client can. */
export function createCommands(state: State) {
  const repositoryNamed = ({ user, repository }: ByRepository): Repository => {
    const found = repositoriesOf(state, userOf(state, user)).find(({ name }) => name === repository)
    if (!found) throw new Error(`${user} has no repository ${repository}.`)
    return found
  }
  const grantsOf = (user: string) => [...state.grants].filter((grant) => grant.user.email === user && !grant.ended)
  return {
    addClient(client: Client) {
      state.clients.set(client.id, client)
    },
    addUser({ email, login, name = login }: { email: string; login: string; name?: string }) {
      const user: User = { id: newId(state), login, email, name, isEmailPublic: false, installation: null }
      state.users.set(email, user)
      return { id: user.id }
    },
    showEmail({ user, on }: ByUser & { on: boolean }) {
      userOf(state, user).isEmailPublic = on
    },
    addRepository({ user, repository, ...given }: ByRepository & { isPrivate?: boolean; hasCommit?: boolean }) {
      return { id: addRepository(state, userOf(state, user), repository, given).id }
    },
    change({ user, repository, ...given }: ByRepository & { isPrivate?: boolean; isArchived?: boolean }) {
      Object.assign(repositoryNamed({ user, repository }), given)
    },
    rename({ to, ...which }: ByRepository & { to: string }) {
      const repository = repositoryNamed(which)
      repository.names.push(to)
      repository.name = to
    },
    removeRepository(which: ByRepository) {
      state.repositories.delete(repositoryNamed(which).id)
    },
    /** Installs the app for these repositories alone; for none, it is uninstalled. */
    install({ user, repositories }: ByUser & { repositories: readonly string[] }) {
      const owner = userOf(state, user)
      const ids = repositories.map((repository) => repositoryNamed({ user, repository }).id)
      owner.installation =
        ids.length === 0 ? null : { id: owner.installation?.id ?? newId(state), repositories: new Set(ids) }
    },
    /** Tokens as after a consent, for clients that bring no browser. */
    mintToken({ user, client: id }: ByUser & { client?: string }) {
      const client = id === undefined ? [...state.clients.values()][0] : state.clients.get(id)
      if (!client) throw new Error('There is no such client.')
      return issue(state, newGrant(state, client, userOf(state, user), client.isApp ? [] : ['repo']))
    },
    expireAccessTokens({ user }: ByUser) {
      for (const token of state.accessTokens.values()) if (token.grant.user.email === user) token.expiresAt = 0
    },
    /** As if the user took access away. */
    revokeUser({ user }: ByUser) {
      for (const grant of grantsOf(user)) grant.ended = true
    },
    grants: ({ user }: ByUser) => ({ count: grantsOf(user).length }),
    /** Limits, and how contents are sent. */
    settings(given: Partial<State['settings']>) {
      Object.assign(state.settings, given)
    },
    /** All assets, of failed uploads too. */
    objects({ user }: ByUser) {
      return repositoriesOf(state, userOf(state, user)).flatMap((repository) =>
        [...repository.releases.values()].flatMap((release) =>
          [...release.assets.values()].map(({ id, name, label, state: stage, bytes }) => ({
            id,
            repository: repository.name,
            release: release.tag,
            name,
            label,
            state: stage,
            size: bytes.length,
            sha256: createHash('sha256').update(bytes).digest('hex'),
          })),
        ),
      )
    },
    removeRelease({ release, ...which }: ByRepository & { release: string }) {
      const { releases } = repositoryNamed(which)
      for (const [id, { tag }] of releases) if (tag === release) releases.delete(id)
    },
  }
}
