import type { Exchange } from '../core/service.ts'
import type { Call, Route } from './call.ts'
import { badInput, badPathRoot, DropboxError, missingScope, unauthorised } from './errors.ts'
import { playFailures } from './failures.ts'
import type { User } from './model.ts'
import { ACCOUNT_ROUTES, rootInfoOf } from './routes/account.ts'
import { DOWNLOAD_ROUTES } from './routes/download.ts'
import { LISTING_ROUTES } from './routes/listing.ts'
import { METADATA_ROUTES } from './routes/metadata.ts'
import { SHARING_ROUTES } from './routes/sharing.ts'
import { UPLOAD_ROUTES } from './routes/upload.ts'
import { SESSION_ROUTES } from './routes/uploadSession.ts'
import type { AccessToken, State } from './state.ts'
import { holding, tag } from './tags.ts'

const ROUTES: Readonly<Record<string, Route>> = {
  ...ACCOUNT_ROUTES,
  ...METADATA_ROUTES,
  ...LISTING_ROUTES,
  ...UPLOAD_ROUTES,
  ...SESSION_ROUTES,
  ...DOWNLOAD_ROUTES,
  ...SHARING_ROUTES,
}

const HOSTS = { rpc: 'api.dropboxapi.com', upload: 'content.dropboxapi.com', download: 'content.dropboxapi.com' }

/** Carries out `POST https://…/2/OPERATION` for the user whose token came with it. */
export async function dispatch(state: State, exchange: Exchange): Promise<void> {
  const operation = exchange.url.pathname.replace(/^\/2\//, '')
  const route = Object.hasOwn(ROUTES, operation) ? ROUTES[operation] : undefined
  const token = tokenOf(state, exchange)
  await exchange.begin(operation, token?.grant.user.email ?? null)
  if (!route || exchange.url.host !== HOSTS[route.style])
    throw new DropboxError(400, `Unknown API function: "${operation}"`)
  if (exchange.method !== 'POST' && route.style !== 'download')
    throw badInput(operation, `Your request method is ${exchange.method}; this function takes POST.`)
  playFailures(exchange, operation)
  const live = liveToken(state, exchange, operation, token)
  if (route.scope && !live.scopes.includes(route.scope)) throw missingScope(route.scope)
  checkPathRoot(exchange, operation, live.grant.user)
  const call: Call = { state, exchange, operation, user: live.grant.user, token: live }
  const answer = await route.run(call)
  if (answer !== undefined) await exchange.sendJson(200, answer)
}

function tokenOf(state: State, { request }: Exchange): AccessToken | undefined {
  const [, value = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return state.tokens.get(value)
}

function liveToken(
  state: State,
  { request }: Exchange,
  operation: string,
  token: AccessToken | undefined,
): AccessToken {
  const { authorization } = request.headers
  if (!authorization)
    throw badInput(operation, 'Must provide HTTP header "Authorization" or URL parameter "authorization".')
  if (!/^Bearer \S+$/i.test(authorization))
    throw badInput(operation, 'Invalid authorization value in HTTP header "Authorization".')
  if (!token) throw unauthorised(tag('invalid_access_token'))
  if (token.expiresAt <= state.now()) throw unauthorised(tag('expired_access_token'))
  if (token.grant.user.suspended) throw unauthorised(tag('user_suspended'))
  return token
}

/** An account has one namespace here, which is its home and its root. */
function checkPathRoot({ request }: Exchange, operation: string, user: User): void {
  const header = request.headers['dropbox-api-path-root']
  if (typeof header !== 'string') return
  const root = parse(header)
  if (!root) throw badInput(operation, 'HTTP header "Dropbox-API-Path-Root": could not decode input as JSON')
  if (root['.tag'] === 'home') return
  if (root['.tag'] === 'root' && root.root !== user.rootNamespace)
    throw badPathRoot(holding('invalid_root', rootInfoOf(user)))
  const known = [user.rootNamespace, user.homeNamespace]
  if (root['.tag'] === 'namespace_id' && !known.includes(String(root.namespace_id)))
    throw badPathRoot(tag('no_permission'))
}

function parse(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
