import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { createCommands, type OneDriveCommands } from './commands.ts'
import { download, listThumbnails, putContent, redirectToContent, sendThumbnail } from './content.ts'
import { delta } from './delta.ts'
import { GraphError, graphError, notFound, playFailures, unauthenticated } from './errors.ts'
import { copyItem, createFolder, deleteItem, deletePermanently, getItem, listChildren, updateItem } from './items.ts'
import { authorize } from './oauth/authorize.ts'
import { token } from './oauth/token.ts'
import { createLink, deletePermission, listPermissions } from './permissions.ts'
import { type Call, type Target, targetOf } from './route.ts'
import { type AccessToken, type Client, createState, type State } from './state.ts'
import { createSession, uploadCall } from './uploads.ts'
import { selected } from './view.ts'

export type OneDriveOptions = ServiceOptions & {
  /** The apps that the service knows. */
  readonly clients?: readonly Client[]
}

/** Known unless others are given; takes any redirect address. */
export const ONEDRIVE_CLIENT: Client = { id: 'emulated-onedrive-id', secret: 'emulated-onedrive-secret' }

const CONTENT_HOST = 'my.microsoftpersonalcontent.com'
const HOSTS = ['login.microsoftonline.com', 'graph.microsoft.com', CONTENT_HOST]

export type OneDriveService = Service & { readonly commands: OneDriveCommands }

/** OneDrive by Microsoft Graph v1.0, with its authorization, for as many accounts as `addUser` makes. */
export function createOneDrive({
  clock = Date.now,
  clients = [ONEDRIVE_CLIENT],
}: OneDriveOptions = {}): OneDriveService {
  const state = createState(clock, clients)
  return {
    name: 'onedrive',
    hosts: HOSTS,
    async handle(exchange) {
      try {
        await answer(state, exchange)
      } catch (error) {
        if (!(error instanceof GraphError)) throw error
        await exchange.sendJson(error.status, error.body, error.headers)
      }
    },
    commands: createCommands(state),
    close: () => state.blobs.close(),
  }
}

function answer(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  if (host === 'login.microsoftonline.com') {
    const [, tenant = '', action] = /^\/([^/]+)\/oauth2\/v2\.0\/(authorize|token)$/.exec(pathname) ?? []
    if (action === 'authorize') return authorize(state, exchange, decodeURIComponent(tenant))
    if (action === 'token') return token(state, exchange, decodeURIComponent(tenant))
    return Promise.reject(notFound())
  }
  if (host === CONTENT_HOST) {
    if (pathname.endsWith('/download.aspx')) return download(state, exchange)
    if (pathname.endsWith('/thumbnail')) return sendThumbnail(state, exchange)
    if (pathname.endsWith('/uploadSession')) return uploadCall(state, exchange)
    return monitor(state, exchange, pathname.slice(pathname.lastIndexOf('/') + 1))
  }
  return graph(state, exchange)
}

/** The progress of a copy, at an address without a token. */
async function monitor(state: State, exchange: Exchange, id: string): Promise<void> {
  const job = state.copies.get(id)
  await exchange.begin('copy.monitor', job?.user.email ?? null)
  playFailures(exchange)
  if (exchange.request.headers.authorization !== undefined) throw unauthenticated('The address has its own token.')
  if (!job) throw notFound()
  if (job.pendingPolls > 0) {
    job.pendingPolls -= 1
    return exchange.sendJson(202, { '@odata.context': '', status: 'inProgress', percentageComplete: 50 })
  }
  if (job.code === null)
    return exchange.sendJson(200, { status: 'completed', percentageComplete: 100, resourceId: job.result })
  await exchange.sendJson(200, { status: 'failed', error: { code: job.code, message: 'The copy failed.' } })
}

type Route = { readonly operation: string; run(call: Call, target: Target): Promise<void> }

/** By method and action; what follows a slash in the action is left out. */
const ROUTES: Readonly<Record<string, Route>> = {
  'GET ': { operation: 'items.get', run: getItem },
  'PATCH ': { operation: 'items.update', run: updateItem },
  'DELETE ': { operation: 'items.delete', run: deleteItem },
  'GET children': { operation: 'items.list', run: listChildren },
  'POST children': { operation: 'items.create', run: createFolder },
  'GET content': { operation: 'items.content.get', run: redirectToContent },
  'GET thumbnails': { operation: 'items.thumbnails', run: listThumbnails },
  'PUT content': { operation: 'items.content.put', run: putContent },
  'POST createUploadSession': { operation: 'upload.create', run: createSession },
  'POST copy': { operation: 'items.copy', run: copyItem },
  'POST permanentDelete': { operation: 'items.permanentDelete', run: deletePermanently },
  'POST createLink': { operation: 'items.createLink', run: createLink },
  'GET permissions': { operation: 'permissions.list', run: listPermissions },
  'DELETE permissions': { operation: 'permissions.delete', run: deletePermission },
  'GET delta': { operation: 'delta', run: delta },
}

async function graph(state: State, exchange: Exchange): Promise<void> {
  const access = accessOf(state, exchange)
  const path = exchange.url.pathname.replace(/^\/v1\.0/, '')
  const [, drive, rest = ''] = /^\/(me\/drive|drives\/[^/]+)(\/.*)?$/.exec(path) ?? []
  const target = drive === undefined ? null : targetOf(rest)
  const route = target && ROUTES[`${exchange.method} ${target.action.split('/')[0] ?? ''}`]
  const named = path === '/me' ? 'graph.me' : rest === '' && drive ? 'graph.drive' : 'unknown'
  await exchange.begin(route?.operation ?? named, access?.grant.user.email ?? null)
  playFailures(exchange)
  const { user, scopes } = liveAccess(state, exchange, access).grant
  if (drive !== undefined && !scopes.includes('Files.ReadWrite')) throw graphError(403, 'accessDenied', 'Access denied')
  if (path === '/me') return exchange.sendJson(200, userView(user))
  if (drive === undefined) throw graphError(400, 'BadRequest', 'Resource not found for the segment.')
  const driveId = decodeURIComponent(drive.replace(/^drives\//, ''))
  if (drive !== 'me/drive' && driveId.toLowerCase() !== user.driveId.toLowerCase()) throw notFound()
  if (rest === '') return exchange.sendJson(200, driveView(user, exchange.url.searchParams.get('$select')))
  if (!target || !route) throw graphError(400, 'invalidRequest', 'The action is not known.')
  await route.run({ state, exchange, user }, target)
}

function accessOf(state: State, { request }: Exchange): AccessToken | undefined {
  const [, value = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return state.tokens.get(value)
}

function liveAccess(state: State, exchange: Exchange, access: AccessToken | undefined): AccessToken {
  if (exchange.take('expired')) throw unauthenticated()
  if (exchange.request.headers.authorization === undefined) throw unauthenticated('Access token is empty.')
  if (!access || access.expiresAt <= state.now()) throw unauthenticated()
  return access
}

type Account = AccessToken['grant']['user']

function userView({ id, email, name, driveType }: Account): object {
  const mail = driveType === 'personal' ? null : email
  return { id, displayName: name, mail, userPrincipalName: email, surname: null, givenName: null }
}

function driveView(user: Account, fields: string | null): object {
  const used = user.usedBytes + user.recycledBytes + user.usedByOthersBytes
  const quota = {
    total: user.quotaBytes,
    used,
    remaining: Math.max(0, user.quotaBytes - used),
    deleted: user.recycledBytes,
  }
  const view = {
    id: user.driveId,
    driveType: user.driveType,
    owner: { user: { id: user.id, displayName: user.name } },
    quota: user.hidesQuota ? { total: 0, used: 0, remaining: 0, deleted: 0 } : { ...quota, state: 'normal' },
  }
  return selected(view, fields)
}
