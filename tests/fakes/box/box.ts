import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { type BoxCommands, createCommands } from './commands.ts'
import { BoxRefusal, badRequest, GrantRefusal, notFound } from './errors.ts'
import {
  copy,
  createFolder,
  DOWNLOAD_HOST,
  getItem,
  getTrashed,
  listFolder,
  purgeItem,
  redirectToContent,
  restoreItem,
  sendContent,
  sendThumbnail,
  trashItem,
  updateItem,
} from './items.ts'
import { authorize, revoke, token } from './oauth.ts'
import { type Client, createState, type Item, type State } from './state.ts'
import { usedBytes } from './tree.ts'
import {
  abortSession,
  type Call,
  commitSession,
  fieldsOf,
  listParts,
  openSession,
  preflight,
  sessionOf,
  showSession,
  uploadPart,
  uploadWhole,
} from './upload.ts'

export type BoxOptions = ServiceOptions & {
  /** The apps that the service knows. */
  readonly clients?: readonly Client[]
}

/** Known unless others are given; takes any redirect address. */
export const BOX_CLIENT: Client = { id: 'emulated-box-id', secret: 'emulated-box-secret' }

const HOSTS = ['account.box.com', 'app.box.com', 'api.box.com', 'upload.box.com', DOWNLOAD_HOST]

export type BoxService = Service & { readonly commands: BoxCommands }

/** Box's API 2.0 with its authorization, for the accounts that `addUser` makes. */
export function createBox({ clock = Date.now, clients = [BOX_CLIENT] }: BoxOptions = {}): BoxService {
  const state = createState(clock, clients)
  return {
    name: 'box',
    hosts: HOSTS,
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  try {
    await answer(state, exchange)
  } catch (error) {
    if (error instanceof GrantRefusal) {
      const { error: name, description, status } = error
      return exchange.sendJson(status, { error: name, error_description: description })
    }
    if (!(error instanceof BoxRefusal)) throw error
    await exchange.sendJson(error.status, error.body, error.headers)
  }
}

function answer(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  if (/^(account|app)\.box\.com$/.test(host) && pathname === '/api/oauth2/authorize') return authorize(state, exchange)
  // The second address is the one of older clients.
  if (['api.box.com/oauth2/token', 'app.box.com/api/oauth2/token'].includes(host + pathname))
    return token(state, exchange)
  if (host + pathname === 'api.box.com/oauth2/revoke') return revoke(state, exchange)
  if (host === DOWNLOAD_HOST) return sendContent({ state, exchange })
  return dispatch(state, exchange)
}

type Route = readonly [
  method: string,
  path: RegExp,
  operation: string,
  run: (call: Call, ...ids: string[]) => Promise<void>,
]

const TYPES: Readonly<Record<string, Item['type']>> = { files: 'file', folders: 'folder', web_links: 'web_link' }
type ItemRoute = (call: Call, type: Item['type'], id: string) => Promise<void>

/** A route of all types of items. */
function each(method: string, suffix: string, operation: string, run: ItemRoute): Route[] {
  return Object.entries(TYPES).map(([plural, type]) => [
    method,
    new RegExp(`^/${plural}/(\\d+)${suffix}$`),
    `${plural}.${operation}`,
    (call, id = '') => run(call, type, id),
  ])
}

const API_ROUTES: readonly Route[] = [
  ['GET', /^\/users\/me$/, 'users.me', showUser],
  ['GET', /^\/events$/, 'events', showEvents],
  ['OPTIONS', /^\/files\/content$/, 'files.preflight', (call) => preflight(call, null)],
  ['OPTIONS', /^\/files\/(\d+)\/content$/, 'files.preflight', (call, id = '') => preflight(call, id)],
  ['GET', /^\/files\/(\d+)\/content$/, 'files.content', (call, id = '') => redirectToContent(call, id)],
  ['GET', /^\/files\/(\d+)\/thumbnail\.jpg$/, 'files.thumbnail', (call, id = '') => sendThumbnail(call, id)],
  ['GET', /^\/folders\/(\d+)\/items$/, 'folders.items', (call, id = '') => listFolder(call, id)],
  ['POST', /^\/folders$/, 'folders.create', createFolder],
  ...each('GET', '', 'get', getItem),
  ...each('PUT', '', 'update', updateItem),
  ...each('DELETE', '', 'trash', trashItem),
  ...each('POST', '', 'restore', restoreItem),
  ...each('GET', '/trash', 'getTrashed', getTrashed),
  ...each('DELETE', '/trash', 'purge', purgeItem),
  ...each('POST', '/copy', 'copy', copy),
]

const UPLOAD_ROUTES: readonly Route[] = [
  ['POST', /^\/files\/content$/, 'files.upload', (call) => uploadWhole(call, null)],
  ['POST', /^\/files\/(\d+)\/content$/, 'files.upload', (call, id = '') => uploadWhole(call, id)],
  ['POST', /^\/files\/upload_sessions$/, 'upload_sessions.open', (call) => openSession(call, null)],
  ['POST', /^\/files\/(\d+)\/upload_sessions$/, 'upload_sessions.open', (call, id = '') => openSession(call, id)],
  [
    'GET',
    /^\/files\/upload_sessions\/(\w+)$/,
    'upload_sessions.get',
    (call, id = '') => showSession(call, sessionOf(call, id)),
  ],
  [
    'PUT',
    /^\/files\/upload_sessions\/(\w+)$/,
    'upload_sessions.part',
    (call, id = '') => uploadPart(call, sessionOf(call, id)),
  ],
  [
    'DELETE',
    /^\/files\/upload_sessions\/(\w+)$/,
    'upload_sessions.abort',
    (call, id = '') => abortSession(call, sessionOf(call, id)),
  ],
  [
    'GET',
    /^\/files\/upload_sessions\/(\w+)\/parts$/,
    'upload_sessions.parts',
    (call, id = '') => listParts(call, sessionOf(call, id)),
  ],
  [
    'POST',
    /^\/files\/upload_sessions\/(\w+)\/commit$/,
    'upload_sessions.commit',
    (call, id = '') => commitSession(call, sessionOf(call, id)),
  ],
]

/** Carries out a call of the API for the user whose token came with it. */
async function dispatch(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  const isUpload = host === 'upload.box.com'
  const path = pathname.replace(isUpload ? /^\/api\/2\.0/ : /^\/2\.0/, '').replace(/\/$/, '')
  const routes = isUpload ? UPLOAD_ROUTES : API_ROUTES
  const found = routes.find(([method, pattern]) => method === exchange.method && pattern.test(path))
  const [, value = ''] = /^Bearer (\S+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const known = state.accessTokens.get(value)
  await exchange.begin(found?.[2] ?? '', known?.grant.user.email ?? null)
  playFailures(exchange)
  if (!known || known.grant.ended || known.expiresAt <= state.now()) throw unauthorized()
  if (known.refreshToken === known.grant.refreshToken) known.grant.isNewestUsed = true
  if (!found) throw exchange.method === 'GET' ? notFound() : new BoxRefusal(405, 'method_not_allowed')
  const [, pattern, , run] = found
  await run({ state, exchange, user: known.grant.user }, ...(pattern.exec(path) ?? []).slice(1))
}

function unauthorized(): BoxRefusal {
  const challenge =
    'Bearer realm="Service", error="invalid_token", error_description="The access token provided is invalid."'
  return new BoxRefusal(401, 'unauthorized', null, { 'www-authenticate': challenge })
}

function playFailures(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited) {
    const headers = limited.retryAfter === undefined ? {} : { 'retry-after': String(limited.retryAfter) }
    throw new BoxRefusal(limited.status ?? 429, limited.reason ?? 'rate_limit_exceeded', null, headers)
  }
  const broken = exchange.take('serverError')
  if (broken) throw new BoxRefusal(broken.status ?? 503, 'unavailable')
  if (exchange.take('expired')) throw unauthorized()
}

async function showUser({ exchange, user }: Call): Promise<void> {
  const all = {
    type: 'user',
    id: user.id,
    name: user.name,
    login: user.email,
    created_at: '2020-01-01T00:00:00+00:00',
    language: 'en',
    space_amount: user.quotaBytes ?? 999_999_999_999_999,
    space_used: usedBytes(user),
    max_upload_size: user.maxUploadBytes,
    status: 'active',
    avatar_url: 'https://app.box.com/api/avatar/large/1',
  }
  const fields = fieldsOf(exchange)
  const isAsked = ([name]: [string, unknown]): boolean => !fields || ['type', 'id', ...fields].includes(name)
  await exchange.sendJson(200, Object.fromEntries(Object.entries(all).filter(isAsked)))
}

/** More than a double holds exactly. */
const FIRST_POSITION = 1_152_922_976_252_290_886n

/** `next_stream_position` is a number, or a string in every second response. */
async function showEvents({ state, exchange, user }: Call): Promise<void> {
  const query = exchange.url.searchParams
  const asked = query.get('stream_position') ?? '0'
  if (asked !== 'now' && !/^\d+$/.test(asked)) throw badRequest('invalid_stream_position')
  const limit = Math.min(Number(query.get('limit') ?? 100), 500)
  const from = asked === 'now' ? user.events.length : Math.max(0, Number(BigInt(asked) - FIRST_POSITION))
  const page = user.events.slice(from, from + limit)
  const before = user.events[from - 1]
  const isUntidy = state.settings.untidyEvents && page.length > 0
  const events = isUntidy ? [...page.toReversed(), ...(before ? [before] : []), ...page.slice(0, 1)] : page
  const entries = events.map((event) => ({ type: 'event', created_at: new Date(state.now()).toISOString(), ...event }))
  const position = String(FIRST_POSITION + BigInt(from + page.length))
  const text = JSON.stringify({ chunk_size: entries.length, next_stream_position: '@', entries })
  const written = (from + page.length) % 2 === 0 ? position : `"${position}"`
  await exchange.send(200, { 'content-type': 'application/json' }, text.replace('"@"', written))
}
