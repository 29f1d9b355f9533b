import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Http, HttpResponse } from '../shared/http.ts'
import { canonicalPath } from './address.ts'
import { failureOf, KIND } from './client.ts'

/** A Nextcloud or ownCloud, and the login in it. */
export type Cloud = {
  /** Its start page, with a slash at the end. */
  readonly home: string
  /** The folder that was named: that of all files, unless the address has another one. */
  readonly root: string
  /** Where uploads in chunks are collected; null where it does not take any. */
  readonly uploads: string | null
  readonly email: string | null
  readonly label: string | null
}

type Login = { readonly user: string | null; readonly authorization: string }

const WHERE = { provider: KIND, operation: 'exchange' }

/**
 * The Nextcloud or ownCloud at an address: of its start page, of a page in it, or of a WebDAV folder of it. Null for other servers.
 * Credentials are sent only once it has been recognised. @throws ProviderError
 */
export async function findCloud(http: Http, call: Call, address: URL, login: Login): Promise<Cloud | null> {
  const path = canonicalPath(address.pathname)
  const [, before = path, after = ''] = /^(.*?)\/(?:remote\.php|index\.php|apps)(\/.*)?$/.exec(path) ?? []
  const home = `${address.origin}${before.replace(/\/*$/, '/')}`
  if (!(await isCloud(http, call, home))) return null
  const { uid, email, label } = await readUser(http, call, home, login)
  const dav = `${home}remote.php/dav/`
  const uploads = (await takesChunks(http, call, home, login)) ? `${dav}uploads/${uid}/` : null
  const folder = path.includes('/remote.php/') ? after.replace(/^\/(?:webdav|dav\/files\/[^/]+)(?=\/|$)/, '') : ''
  // A shared folder or another collection of the server is used as it is.
  const isOwn = folder !== after || folder === ''
  const root = isOwn
    ? `${dav}files/${uid}${folder.replace(/\/*$/, '/')}`
    : `${address.origin}${path.replace(/\/*$/, '/')}`
  return { home, root, uploads: isOwn ? uploads : null, email, label: `${label}@${address.host}` }
}

/** Everyone can read the status of such servers. */
async function isCloud(http: Http, call: Call, home: string): Promise<boolean> {
  const response = await http.send(call, { where: WHERE, method: 'GET', url: `${home}status.php`, keepRedirects: true })
  const status = objectOf(await jsonOrNull(response))
  return response.status === 200 && typeof status.installed === 'boolean' && typeof status.versionstring === 'string'
}

async function readUser(http: Http, call: Call, home: string, login: Login) {
  const data = await ask(http, call, `${home}ocs/v2.php/cloud/user`, login)
  const uid = textOf(data.id)
  if (uid === null) throw new ProviderError('Transient', WHERE, { message: 'The server does not report the user.' })
  const label = textOf(data['display-name']) ?? textOf(data.displayname) ?? uid
  return { uid: encodeURIComponent(uid), email: textOf(data.email), label }
}

async function takesChunks(http: Http, call: Call, home: string, login: Login): Promise<boolean> {
  const { capabilities } = await ask(http, call, `${home}ocs/v2.php/cloud/capabilities`, login)
  return textOf(objectOf(objectOf(capabilities).dav).chunking) === '1.0'
}

/** A call of the OCS interface. */
async function ask(http: Http, call: Call, url: string, { authorization }: Login): Promise<Record<string, unknown>> {
  const headers = { authorization, 'ocs-apirequest': 'true', accept: 'application/json' }
  const response = await http.send(call, { where: WHERE, method: 'GET', url: `${url}?format=json`, headers })
  if (response.status !== 200) throw await failureOf(response, WHERE)
  return objectOf(objectOf(objectOf(await response.json()).ocs).data)
}

async function jsonOrNull(response: HttpResponse): Promise<unknown> {
  return response.json().catch(() => null)
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
