import type { Call } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { failed, isWithoutCommit } from './errors.ts'

// Files are assets of releases in one private repository, which are not part of the repository's history: deleting one frees its
// space. A release has at most 1,000 of them, so there are several releases, and the one with the highest number takes new files.

/** Made with the account where Skypool may, and preferred where several can be chosen. */
const REPOSITORY_NAME = 'skypool-storage'
const DESCRIPTION = 'Files that Skypool stores here, as assets of releases. Please keep it private.'
const README = `# Storage of Skypool\n\n${DESCRIPTION}\n`
const MAX_PER_PAGE = '100'

export type GithubLimits = { readonly pageSize: number }
export const DEFAULT_LIMITS: GithubLimits = { pageSize: Number(MAX_PER_PAGE) }

/** One account. */
export type Storage = {
  readonly client: ApiClient
  readonly limits: GithubLimits
  /** Id of the repository: its name can change. */
  readonly repositoryId: string
  repository: Promise<Repository> | null
  /** The release for new files. */
  release: Promise<Release> | null
}

/** As GitHub reports it, as far as it is used. */
export type Repository = {
  readonly id: number
  readonly full_name: string
  readonly private: boolean
  readonly archived?: boolean
}
export type Release = { readonly id: number; readonly number: number }

/** The repository of a new account. OAuth apps can make one; of GitHub Apps, the user has chosen one at GitHub. @throws Forbidden */
export async function chooseRepository(
  client: ApiClient,
  call: Call,
  operation: string,
  isApp: boolean,
): Promise<Repository> {
  const repository = isApp
    ? await installedRepository(client, call, operation)
    : await ownRepository(client, call, operation)
  checkPrivate(repository, operation)
  return repository
}

type Installations = { readonly installations?: readonly { readonly id: number }[] }
type Repositories = { readonly repositories?: readonly Repository[] }

async function installedRepository(client: ApiClient, call: Call, operation: string): Promise<Repository> {
  const query = { per_page: MAX_PER_PAGE }
  const get = { method: 'GET', query }
  const { installations = [] } = await client.ask<Installations>(call, operation, {
    ...get,
    url: '/user/installations',
  })
  const found: Repository[] = []
  for (const { id } of installations) {
    const url = `/user/installations/${id}/repositories`
    found.push(...((await client.ask<Repositories>(call, operation, { ...get, url })).repositories ?? []))
  }
  const usable = found.filter((one) => one.private && !one.archived)
  const chosen =
    usable.length === 1 ? usable[0] : usable.find(({ full_name }) => full_name.endsWith(`/${REPOSITORY_NAME}`))
  if (chosen) return chosen
  const message =
    usable.length === 0
      ? 'The app may not use a private repository yet. Install it at GitHub for one, and connect again.'
      : `The app may use ${usable.length} private repositories. At GitHub, allow one alone, or name one ${REPOSITORY_NAME}, and connect again.`
  throw failed(operation, 'Forbidden', message)
}

async function ownRepository(client: ApiClient, call: Call, operation: string): Promise<Repository> {
  const { login } = await client.ask<{ readonly login: string }>(call, operation, { method: 'GET', url: '/user' })
  const url = `/repos/${login}/${REPOSITORY_NAME}`
  const find = () => readNamed(client, call, operation, url).catch(nothingWhen('NotFound'))
  const known = await find()
  if (known) return known
  const json = { name: REPOSITORY_NAME, description: DESCRIPTION, private: true, auto_init: true }
  try {
    return await client.ask<Repository>(call, operation, { method: 'POST', url: '/user/repos', json })
  } catch (error) {
    // Another server was faster.
    const made = error instanceof ProviderError && error.where.status === 422 ? await find() : null
    if (made) return made
    throw error
  }
}

/** Of a repository that was renamed, GitHub returns the address by its id. */
async function readNamed(client: ApiClient, call: Call, operation: string, url: string): Promise<Repository> {
  const response = await client.send(call, operation, { method: 'GET', url, keepRedirects: true })
  if (response.status === 200) return (await response.json()) as Repository
  response.dispose()
  const [, id] = /\/repositories\/(\d+)$/.exec(response.header('location') ?? '') ?? []
  if (id === undefined) throw failed(operation, 'Transient', 'GitHub names no address of the repository.')
  return client.ask<Repository>(call, operation, { method: 'GET', url: `/repositories/${id}` })
}

/** @throws Forbidden */
export function checkPrivate(repository: Repository, operation: string): void {
  if (repository.private) return
  const message = 'The repository is public: everyone could read the files. Make it private at GitHub.'
  throw failed(operation, 'Forbidden', message)
}

/** Read once, and again after it was renamed. @throws AuthExpired when GitHub does not show it */
export function repositoryOf(storage: Storage, call: Call, operation: string): Promise<Repository> {
  storage.repository ??= readRepository(storage, call, operation).catch((error: unknown) => {
    storage.repository = null
    throw error
  })
  return storage.repository
}

/**
 * GitHub answers 404 for what the access may not see, so a missing repository says nothing about the files in it: the app was
 * uninstalled, the access to the repository was taken away, or it was deleted.
 */
async function readRepository({ client, repositoryId }: Storage, call: Call, operation: string): Promise<Repository> {
  try {
    return await client.ask<Repository>(call, operation, { method: 'GET', url: `/repositories/${repositoryId}` })
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error
    throw failed(operation, 'AuthExpired', 'GitHub does not show the repository to Skypool any more.')
  }
}

/** Whether the account can be used now. @throws ProviderError */
export async function look(storage: Storage, call: Call, operation: string): Promise<Repository> {
  storage.repository = null
  return repositoryOf(storage, call, operation)
}

/**
 * Calls of the repository, by its path below API.
 * @throws NotFound only while GitHub shows the repository
 */
export async function inRepository<Result>(
  storage: Storage,
  call: Call,
  operation: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const { full_name: name } = await repositoryOf(storage, call, operation)
  try {
    return await work(`/repos/${name}`)
  } catch (error) {
    if (isFailure(error, 'NotFound')) await look(storage, call, operation)
    // It was renamed: the next attempt reads the name again.
    if (isFailure(error, 'Transient') && REDIRECTS.has(error.where.status ?? 0)) storage.repository = null
    throw error
  }
}
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

type ReleaseReport = { readonly id: number; readonly tag_name: string }
const TAG = /^skypool-(\d{1,6})$/

/** Skypool's releases, the oldest first. */
export function releasesOf(storage: Storage, call: Call, operation: string): Promise<readonly Release[]> {
  return inRepository(storage, call, operation, async (path) => {
    const found: Release[] = []
    for (let page = 1; ; page += 1) {
      const query = { per_page: MAX_PER_PAGE, page: String(page) }
      const request = { method: 'GET', url: `${path}/releases`, query }
      const reports = await storage.client.ask<readonly ReleaseReport[]>(call, operation, request)
      found.push(...reports.flatMap(releaseIn))
      if (reports.length < Number(MAX_PER_PAGE)) return found.sort((a, b) => a.number - b.number)
    }
  })
}

function releaseIn({ id, tag_name: tag }: ReleaseReport): Release[] {
  const [, number] = TAG.exec(tag) ?? []
  return number === undefined ? [] : [{ id, number: Number(number) }]
}

/** The release for new files. `full`: one that takes no more. */
export function openRelease(storage: Storage, call: Call, operation: string, full?: Release): Promise<Release> {
  if (full) storage.release = null
  storage.release ??= newestRelease(storage, call, operation, full?.number ?? 0).catch((error: unknown) => {
    storage.release = null
    throw error
  })
  return storage.release
}

async function newestRelease(storage: Storage, call: Call, operation: string, above: number): Promise<Release> {
  const newest = (await releasesOf(storage, call, operation)).at(-1)
  if (newest && newest.number > above) return newest
  const number = above + 1
  try {
    return await makeRelease(storage, call, operation, number)
  } catch (error) {
    if (isWithoutCommit(error)) {
      await addReadme(storage, call, operation)
      return makeRelease(storage, call, operation, number)
    }
    // Another server was faster.
    const made = isFailure(error, 'Conflict') ? (await releasesOf(storage, call, operation)).at(-1) : null
    if (made && made.number > above) return made
    throw error
  }
}

function makeRelease(storage: Storage, call: Call, operation: string, number: number): Promise<Release> {
  return inRepository(storage, call, operation, async (path) => {
    const json = { tag_name: `skypool-${number}`, name: `Skypool ${number}`, body: DESCRIPTION, make_latest: 'false' }
    const request = { method: 'POST', url: `${path}/releases`, json }
    const { id } = await storage.client.ask<ReleaseReport>(call, operation, request)
    return { id, number }
  })
}

async function addReadme(storage: Storage, call: Call, operation: string): Promise<void> {
  const json = { message: 'Add a description', content: Buffer.from(README).toString('base64') }
  try {
    await inRepository(storage, call, operation, (path) =>
      storage.client.ask(call, operation, { method: 'PUT', url: `${path}/contents/README.md`, json }),
    )
  } catch (error) {
    // Another server was faster, or the answer to an earlier attempt was lost.
    if (!(error instanceof ProviderError && ALREADY_THERE.has(error.where.status ?? 0))) throw error
  }
}
const ALREADY_THERE: ReadonlySet<number> = new Set([409, 422])
