import type { Call, Capabilities, Credentials, Driver, Identity, ProviderModule } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { download, list, MAX_NAME, ROOT, remove, rename, stat } from './assets.ts'
import { createGithubClient } from './client.ts'
import { failed, KIND } from './errors.ts'
import { createGithubOAuth } from './oauth.ts'
import { abandon, MAX_FILE_BYTES, put } from './put.ts'
import { DEFAULT_LIMITS, type GithubLimits, look, repositoryOf, type Storage } from './repository.ts'

export type GithubDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Smaller limits for tests. */
  readonly limits?: Partial<GithubLimits>
  readonly now?: () => number
}

/** A private repository at GitHub, whose releases have the files as assets. */
export function githubModule({ limits, now = Date.now, ...deps }: GithubDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createGithubOAuth({ ...deps, now }) },
    open({ accessToken, repository }: Credentials) {
      return createGithub({
        client: createGithubClient(deps.http, accessToken ?? '', now),
        limits: { ...DEFAULT_LIMITS, ...limits },
        repositoryId: repository ?? '',
        repository: null,
        release: null,
      })
    },
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'sha256',
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: MAX_FILE_BYTES,
  maxNameLength: MAX_NAME,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  // GitHub asks for few concurrent writes: it allows 80 new contents a minute and 500 an hour.
  maxConcurrentWrites: 2,
  resumable: false,
}

/** The driver of one account: names are labels, and folders are accepted but not kept. */
function createGithub(storage: Storage): Driver {
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    identity: (call) => identity(storage, call),
    async quota(call) {
      // GitHub names no limit of releases, but the call says whether the access is still valid.
      await look(storage, call, 'quota')
      return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
    },
    stat: (call, ref) => stat(storage, call, ref),
    list: (call, folder, cursor) => list(storage, call, folder, cursor),
    get: (call, ref, range) => download(storage, call, ref, range ?? null),
    put: (call, entry, content, progress) => put({ storage, call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(storage, call, session, isNeeded),
    delete: (call, ref) => remove(storage, call, ref),
    move: (call, ref, to) => rename(storage, call, ref, to),
    async ensureFolder(call) {
      await look(storage, call, 'ensureFolder')
      return ROOT
    },
  }
}

type User = {
  readonly id?: number
  readonly login?: string
  readonly email?: string | null
}

/** The repository is part of the subject: with another one, the files would not be found. */
async function identity(storage: Storage, call: Call): Promise<Identity> {
  const { client, repositoryId } = storage
  const { id, login, email } = await client.ask<User>(call, 'identity', { method: 'GET', url: '/user' })
  if (id === undefined) throw failed('identity', 'Transient', 'The response names no user.')
  const { full_name: place } = await repositoryOf(storage, call, 'identity')
  return { subject: `${id}/${repositoryId}`, email: email ?? null, name: login ?? null, place }
}
