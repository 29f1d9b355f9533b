import type { Exchange } from '../core/service.ts'
import { forbidden, GithubRefusal, invalid, notFound } from './errors.ts'
import {
  type AccessToken,
  addRepository,
  newId,
  type Release,
  type Repository,
  repositoriesOf,
  type State,
  type User,
} from './state.ts'

export type Call = {
  readonly state: State
  readonly exchange: Exchange
  readonly user: User
  readonly token: AccessToken
}

export async function jsonOf(exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const text = (await exchange.readBody()).toString()
  try {
    return JSON.parse(text || '{}') as Record<string, unknown>
  } catch {
    throw new GithubRefusal(400, 'Problems parsing JSON')
  }
}

export async function showUser({ exchange, user }: Call): Promise<void> {
  const { id, login, name, email, isEmailPublic } = user
  await exchange.sendJson(200, {
    login,
    id,
    type: 'User',
    name,
    email: isEmailPublic ? email : null,
    url: `https://api.github.com/users/${login}`,
    html_url: `https://github.com/${login}`,
  })
}

/** Only tokens of an app. */
export async function listInstallations({ exchange, user, token }: Call): Promise<void> {
  if (!token.grant.client.isApp)
    throw forbidden('You must authenticate with an access token authorized to a GitHub App')
  const installations = user.installation ? [{ id: user.installation.id, account: { login: user.login } }] : []
  await exchange.sendJson(200, { total_count: installations.length, installations })
}

export async function listInstalled({ state, exchange, user }: Call, id: string): Promise<void> {
  if (String(user.installation?.id) !== id) throw notFound()
  const all = repositoriesOf(state, user).filter((one) => user.installation?.repositories.has(one.id))
  await exchange.sendJson(200, { total_count: all.length, repositories: pageOf(exchange, all).items.map(view) })
}

/** A page of a list, and the Link to others. */
export function pageOf<Item>({ url }: Exchange, all: readonly Item[]) {
  const perPage = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100)
  const page = Number(url.searchParams.get('page') ?? 1)
  const items = all.slice((page - 1) * perPage, page * perPage)
  const to = (number: number): string => {
    const address = new URL(url)
    address.searchParams.set('page', String(number))
    return address.href
  }
  const last = Math.ceil(all.length / perPage)
  const link = page < last ? `<${to(page + 1)}>; rel="next", <${to(last)}>; rel="last"` : null
  return { items, headers: link === null ? {} : { link } }
}

function view({ id, name, owner, isPrivate, isArchived }: Repository) {
  const full = `${owner.login}/${name}`
  return {
    id,
    name,
    full_name: full,
    private: isPrivate,
    owner: { login: owner.login, id: owner.id, type: 'User' },
    html_url: `https://github.com/${full}`,
    url: `https://api.github.com/repos/${full}`,
    archived: isArchived,
    default_branch: 'main',
    permissions: { admin: true, push: true, pull: true },
  }
}

export async function createRepository({ state, exchange, user, token }: Call): Promise<void> {
  if (token.grant.client.isApp) throw forbidden('Resource not accessible by integration')
  if (!token.grant.scopes.includes('repo')) throw notFound()
  const { name, private: isPrivate, auto_init: hasCommit } = await jsonOf(exchange)
  if (typeof name !== 'string' || name === '') throw invalid('Repository', { code: 'missing_field', field: 'name' })
  if (repositoriesOf(state, user).some((one) => one.name.toLowerCase() === name.toLowerCase())) {
    const error = { code: 'custom', field: 'name', message: 'name already exists on this account' }
    throw new GithubRefusal(422, 'Repository creation failed.', [{ resource: 'Repository', ...error }])
  }
  const made = addRepository(state, user, name, { isPrivate: isPrivate === true, hasCommit: hasCommit === true })
  await exchange.sendJson(201, view(made))
}

/** What the token may not see does not exist. */
export function repositoryAt({ state, user, token }: Call, isIt: (one: Repository) => boolean): Repository {
  const found = repositoriesOf(state, user).find(isIt)
  const { client, scopes } = token.grant
  const isShown = client.isApp ? user.installation?.repositories.has(found?.id ?? 0) : scopes.includes('repo')
  if (!found || !(isShown || !found.isPrivate)) throw notFound()
  return found
}

/** Null: it has another name now, and the answer says where it is. */
export async function namedRepository(call: Call, owner: string, name: string): Promise<Repository | null> {
  const isNamed = (one: Repository, text: string): boolean =>
    one.owner.login.toLowerCase() === owner.toLowerCase() && text.toLowerCase() === name.toLowerCase()
  const found = repositoryAt(call, (one) => one.names.some((text) => isNamed(one, text)))
  if (isNamed(found, found.name)) return found
  const [, rest = ''] = /^\/repos\/[^/]+\/[^/]+(.*)$/.exec(call.exchange.url.pathname) ?? []
  const url = `https://api.github.com/repositories/${found.id}${rest}`
  await call.exchange.sendJson(301, { message: 'Moved Permanently', url }, { location: url })
  return null
}

export async function showRepository({ exchange }: Call, repository: Repository): Promise<void> {
  await exchange.sendJson(200, view(repository))
}

function checkWritable({ isArchived }: Repository): void {
  if (isArchived) throw forbidden('Repository was archived so is read-only.')
}

export async function putContents(call: Call, repository: Repository, path: string): Promise<void> {
  const { exchange } = call
  const { message, content } = await jsonOf(exchange)
  checkWritable(repository)
  if (typeof message !== 'string' || typeof content !== 'string') {
    throw new GithubRefusal(422, 'Invalid request.\n\n"message", "content" weren\'t supplied.')
  }
  if (repository.files.has(path)) throw new GithubRefusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
  created(call)
  repository.files.set(path, Buffer.from(content, 'base64'))
  repository.hasCommit = true
  await exchange.sendJson(201, { content: { path }, commit: { message } })
}

export async function listReleases({ exchange }: Call, { releases, ...repository }: Repository): Promise<void> {
  // The newest first.
  const { items, headers } = pageOf(exchange, [...releases.values()].reverse())
  await exchange.sendJson(
    200,
    items.map((release) => releaseView(repository, release)),
    headers,
  )
}

function releaseView({ owner, name }: Pick<Repository, 'owner' | 'name'>, release: Release) {
  const { id, tag, body } = release
  const url = `https://api.github.com/repos/${owner.login}/${name}/releases/${id}`
  return {
    id,
    url,
    upload_url: `${url.replace('//api.', '//uploads.')}/assets{?name,label}`,
    tag_name: tag,
    name: release.name,
    body,
    draft: false,
    prerelease: false,
    created_at: new Date(release.createdAt).toISOString(),
    assets: [],
  }
}

export async function createRelease(call: Call, repository: Repository): Promise<void> {
  const { exchange, state } = call
  const { tag_name: tag, name, body, make_latest: latest } = await jsonOf(exchange)
  checkWritable(repository)
  if (typeof tag !== 'string' || tag === '') throw invalid('Release', { code: 'missing_field', field: 'tag_name' })
  if (latest !== undefined && !['true', 'false', 'legacy'].includes(String(latest))) {
    throw invalid('Release', { code: 'invalid', field: 'make_latest' })
  }
  if (!repository.hasCommit) throw new GithubRefusal(422, 'Repository is empty.')
  if ([...repository.releases.values()].some((one) => one.tag === tag)) {
    throw invalid('Release', { code: 'already_exists', field: 'tag_name' })
  }
  created(call)
  const release: Release = {
    id: newId(state),
    tag,
    name: String(name ?? tag),
    body: String(body ?? ''),
    isLatest: latest !== 'false',
    createdAt: state.now(),
    assets: new Map(),
  }
  repository.releases.set(release.id, release)
  await exchange.sendJson(201, releaseView(repository, release))
}

/** @throws the secondary limit of created contents */
export function created({ state, user }: Call): void {
  const recent = (state.created.get(user) ?? []).filter((at) => at > state.now() - 60_000)
  if (recent.length >= state.settings.createdPerMinute) throw secondaryLimit('60')
  state.created.set(user, [...recent, state.now()])
}

export function secondaryLimit(retryAfter: string | undefined, status = 403): GithubRefusal {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. For more on scraping GitHub and how it may affect your rights, please review our Terms of Service.'
  return new GithubRefusal(status, message, [], retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}
