import type { Exchange } from '../../core/service.ts'
import {
  DriveError,
  insufficientScopes,
  invalidCredentials,
  playDriveFaults,
  playServerError,
  refusedByPolicy,
} from '../errors.ts'
import type { Google } from '../google.ts'
import { METADATA_SCOPES, READ_SCOPES, WRITE_SCOPES } from '../oauth/scopes.ts'
import { about } from './about.ts'
import { type Call, isOwnFilesOnly } from './call.ts'
import { listChanges, startPageToken } from './changes.ts'
import { download } from './download.ts'
import { getDrive, listDrives } from './drives.ts'
import { exportFile } from './export.ts'
import { copyFile, createEmpty, deleteFile, emptyTrash, generateIds, getFile, updateFile } from './files.ts'
import { listFiles } from './list.ts'
import { createPermission, deletePermission, getPermission, listPermissions, updatePermission } from './permissions.ts'
import { continueSession } from './resumable.ts'
import { upload } from './upload.ts'

type Route = {
  readonly method: string
  readonly path: RegExp
  readonly operation: string
  readonly scopes: readonly string[]
  readonly run: (call: Call, ...parts: string[]) => Promise<void>
}

const route = (
  method: string,
  path: string,
  operation: string,
  scopes: readonly string[],
  run: (call: Call, a: string, b: string) => Promise<void>,
): Route => ({
  method,
  path: new RegExp(`^${path.replaceAll(':id', '([^/]+)')}$`),
  operation,
  scopes,
  run: (call, a = '', b = '') => run(call, a, b),
})

const FILES = '/drive/v3/files'
const PERMISSIONS = `${FILES}/:id/permissions`

/** The first that fits counts. */
const ROUTES: readonly Route[] = [
  route('GET', '/drive/v3/about', 'drive.about.get', METADATA_SCOPES, about),
  route('GET', '/drive/v3/drives', 'drive.drives.list', METADATA_SCOPES, listDrives),
  route('GET', '/drive/v3/drives/:id', 'drive.drives.get', METADATA_SCOPES, getDrive),
  route('GET', `${FILES}/generateIds`, 'drive.files.generateIds', WRITE_SCOPES, generateIds),
  route('DELETE', `${FILES}/trash`, 'drive.files.emptyTrash', WRITE_SCOPES, emptyTrash),
  route('GET', FILES, 'drive.files.list', METADATA_SCOPES, listFiles),
  route('POST', FILES, 'drive.files.create', WRITE_SCOPES, createEmpty),
  route('GET', `${FILES}/:id`, 'drive.files.get', METADATA_SCOPES, getFile),
  route('PATCH', `${FILES}/:id`, 'drive.files.update', WRITE_SCOPES, updateFile),
  route('DELETE', `${FILES}/:id`, 'drive.files.delete', WRITE_SCOPES, deleteFile),
  route('POST', `${FILES}/:id/copy`, 'drive.files.copy', WRITE_SCOPES, copyFile),
  route('GET', `${FILES}/:id/export`, 'drive.files.export', READ_SCOPES, exportFile),
  route('GET', PERMISSIONS, 'drive.permissions.list', READ_SCOPES, listPermissions),
  route('POST', PERMISSIONS, 'drive.permissions.create', WRITE_SCOPES, createPermission),
  route('GET', `${PERMISSIONS}/:id`, 'drive.permissions.get', READ_SCOPES, getPermission),
  route('PATCH', `${PERMISSIONS}/:id`, 'drive.permissions.update', WRITE_SCOPES, updatePermission),
  route('DELETE', `${PERMISSIONS}/:id`, 'drive.permissions.delete', WRITE_SCOPES, deletePermission),
  route('GET', '/drive/v3/changes/startPageToken', 'drive.changes.getStartPageToken', METADATA_SCOPES, startPageToken),
  route('GET', '/drive/v3/changes', 'drive.changes.list', METADATA_SCOPES, listChanges),
  route('POST', '/upload/drive/v3/files', 'drive.files.create', WRITE_SCOPES, (call) => upload(call, null)),
  route('PATCH', '/upload/drive/v3/files/:id', 'drive.files.update', WRITE_SCOPES, upload),
]
const DOWNLOAD = route('GET', `${FILES}/:id`, 'drive.files.download', READ_SCOPES, download)

/** Drive v3. Throws `DriveError` for what Drive refuses. */
export async function drive(exchange: Exchange, google: Google): Promise<void> {
  const { searchParams: query, pathname } = exchange.url
  if (pathname.startsWith('/upload/') && query.has('upload_id')) return continueSession(exchange, google)
  const found = routeOf(exchange)
  const [, text = ''] = /^Bearer (.+)$/i.exec(exchange.request.headers.authorization ?? '') ?? []
  const isStart = query.get('uploadType') === 'resumable'
  await exchange.begin(isStart ? 'drive.upload.start' : (found?.operation ?? ''), google.grants.holderOfAccess(text))
  playDriveFaults(exchange)
  playServerError(exchange)
  if (!found) throw new DriveError(404, 'notFound', 'Not Found')
  const token = google.grants.access(text)
  if (!token) throw invalidCredentials()
  if (!token.scopes.some((scope) => found.scopes.includes(scope))) throw insufficientScopes()
  if (!['drive.permissions.create', 'drive.files.download'].includes(found.operation)) playPolicy(exchange)
  const { user, client } = token.grant
  const parts = (found.path.exec(pathname) ?? []).slice(1).map(decodeURIComponent)
  await found.run(
    { exchange, google, user, clientId: client.id, query, ownFilesOnly: isOwnFilesOnly(token.scopes) },
    ...parts,
  )
}

function playPolicy(exchange: Exchange): void {
  const policy = exchange.take('policy')
  if (policy) throw refusedByPolicy(policy)
}

function routeOf({ method, url }: Exchange): Route | undefined {
  const found = ROUTES.find((one) => one.method === (method === 'HEAD' ? 'GET' : method) && one.path.test(url.pathname))
  return found?.operation === 'drive.files.get' && url.searchParams.get('alt') === 'media' ? DOWNLOAD : found
}
