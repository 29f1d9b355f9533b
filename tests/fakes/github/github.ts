import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { DOWNLOAD_HOST, deleteAsset, listAssets, sendContent, showAsset, updateAsset, uploadAsset } from './assets.ts'
import { createCommands, type GithubCommands } from './commands.ts'
import { badCredentials, forbidden, GithubRefusal, notFound } from './errors.ts'
import { authorize, isValid, revokeGrant, token } from './oauth.ts'
import {
  type Call,
  createRelease,
  createRepository,
  listInstallations,
  listInstalled,
  listReleases,
  namedRepository,
  putContents,
  repositoryAt,
  secondaryLimit,
  showRepository,
  showUser,
} from './repositories.ts'
import { type AccessToken, type Client, createState, type Repository, type State } from './state.ts'

export type GithubOptions = ServiceOptions & {
  /** The apps that the service knows. */
  readonly clients?: readonly Client[]
}

/** A GitHub App, known unless others are given; takes any redirect address. */
export const GITHUB_APP: Client = { id: 'Iv23emulated', secret: 'emulated-github-secret', isApp: true }
/** An OAuth app. */
export const GITHUB_OAUTH_APP: Client = { id: 'Ov23emulated', secret: 'emulated-oauth-secret' }

export type GithubService = Service & { readonly commands: GithubCommands }

/** GitHub's REST API, as far as a store of release assets needs it, with its authorization, for the users that `addUser` makes. */
export function createGithub({
  clock = Date.now,
  clients = [GITHUB_APP, GITHUB_OAUTH_APP],
}: GithubOptions = {}): GithubService {
  const state = createState(clock, clients)
  return {
    name: 'github',
    hosts: ['github.com', 'api.github.com', 'uploads.github.com', DOWNLOAD_HOST],
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  try {
    await answer(state, exchange)
  } catch (error) {
    if (!(error instanceof GithubRefusal)) throw error
    await exchange.sendJson(error.status, error.body, error.headers)
  }
}

function answer(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  if (host === DOWNLOAD_HOST) return sendContent(state, exchange)
  if (host === 'github.com' && pathname === '/login/oauth/authorize') return authorize(state, exchange)
  if (host === 'github.com' && pathname === '/login/oauth/access_token' && exchange.method === 'POST')
    return token(state, exchange)
  const [, clientId] = /^\/applications\/([^/]+)\/grant$/.exec(pathname) ?? []
  if (host === 'api.github.com' && clientId !== undefined && exchange.method === 'DELETE') {
    return revokeGrant(state, exchange, clientId)
  }
  return dispatch(state, exchange)
}

type Route = readonly [
  method: string,
  path: RegExp,
  operation: string,
  run: (call: Call, ...parts: string[]) => Promise<void>,
]

/** A route of a repository, by its name. */
function within(
  method: string,
  suffix: string,
  operation: string,
  run: (call: Call, repository: Repository, part: string) => Promise<void>,
): Route {
  const path = new RegExp(`^/repos/([^/]+)/([^/]+)${suffix}$`)
  return [
    method,
    path,
    operation,
    async (call, owner = '', name = '', part = '') => {
      const repository = await namedRepository(call, owner, name)
      if (repository) await run(call, repository, part)
    },
  ]
}

const API_ROUTES: readonly Route[] = [
  ['GET', /^\/user$/, 'user', showUser],
  ['GET', /^\/user\/installations$/, 'installations', listInstallations],
  ['GET', /^\/user\/installations\/(\d+)\/repositories$/, 'installed', (call, id = '') => listInstalled(call, id)],
  ['POST', /^\/user\/repos$/, 'repos.create', createRepository],
  [
    'GET',
    /^\/repositories\/(\d+)$/,
    'repos.get',
    (call, id = '') =>
      showRepository(
        call,
        repositoryAt(call, (one) => String(one.id) === id),
      ),
  ],
  within('GET', '', 'repos.get', showRepository),
  within('PUT', '/contents/(.+)', 'contents.put', putContents),
  within('GET', '/releases', 'releases.list', listReleases),
  within('POST', '/releases', 'releases.create', createRelease),
  within('GET', '/releases/(\\d+)/assets', 'assets.list', listAssets),
  within('GET', '/releases/assets/(\\d+)', 'assets.get', showAsset),
  within('PATCH', '/releases/assets/(\\d+)', 'assets.update', updateAsset),
  within('DELETE', '/releases/assets/(\\d+)', 'assets.delete', deleteAsset),
]
const UPLOAD_ROUTES: readonly Route[] = [within('POST', '/releases/(\\d+)/assets', 'assets.upload', uploadAsset)]

/** Carries out a call of the API for the user whose token came with it. */
async function dispatch(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  const routes = host === 'uploads.github.com' ? UPLOAD_ROUTES : host === 'api.github.com' ? API_ROUTES : []
  const found = routes.find(([method, pattern]) => method === exchange.method && pattern.test(pathname))
  const [, value = ''] = /^(?:Bearer|token) (\S+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const known = state.accessTokens.get(value)
  await exchange.begin(found?.[2] ?? '', known?.grant.user.email ?? null)
  if (!exchange.request.headers['user-agent']) {
    throw forbidden('Request forbidden by administrative rules. Please make sure your request has a User-Agent header')
  }
  playFailures(state, exchange)
  if (!known || !isValid(state, value)) throw badCredentials()
  count(state, known)
  if (!found) throw notFound()
  const [, pattern, , run] = found
  const { user } = known.grant
  await run({ state, exchange, user, token: known }, ...(pattern.exec(pathname) ?? []).slice(1))
}

function playFailures(state: State, exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited?.reason === 'primary') throw primaryLimit(state.now() + (limited.retryAfter ?? 3600) * 1000)
  if (limited) throw secondaryLimit(limited.retryAfter?.toString(), limited.status)
  const broken = exchange.take('serverError')
  if (broken) throw new GithubRefusal(broken.status ?? 502, 'Server Error')
  if (exchange.take('expired')) throw badCredentials()
  if (exchange.take('policy')) throw forbidden('Resource not accessible by integration')
}

/** The limit of an hour, for all apps of the user together. */
function count(state: State, { grant: { user } }: AccessToken): void {
  const known = state.used.get(user)
  const used = known && known.resetAt > state.now() ? known : { calls: 0, resetAt: state.now() + 3_600_000 }
  if (used.calls >= state.settings.callsPerHour) throw primaryLimit(used.resetAt)
  state.used.set(user, { ...used, calls: used.calls + 1 })
}

function primaryLimit(resetAt: number): GithubRefusal {
  return new GithubRefusal(403, 'API rate limit exceeded for user ID 1.', [], {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
  })
}
