import type { Call, Entry, EntryRef, Identity, ProviderQuota } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError, type ProviderErrorCode } from '../errors.ts'
import { asKind, childRef, hrefPath, isFolderRef, isNameable, nameOf, parentOf, ROOT } from './address.ts'
import { type DavClient, isSamePath, KIND } from './client.ts'
import { type Found, foundOf } from './entry.ts'
import type { DavResource } from './multistatus.ts'
import { checkName, TEMPORARY } from './names.ts'

/** Driver.stat. */
export async function stat(client: DavClient, call: Call, ref: EntryRef): Promise<Entry> {
  const found = await find(client, call, 'stat', ref)
  if (found) return found.entry
  throw failed('stat', 'NotFound', 'It is not there.')
}

/** What is under a ref, of the same kind; null where nothing is. */
export async function find(client: DavClient, call: Call, operation: string, ref: EntryRef): Promise<Found | null> {
  try {
    const resource = await resourceAt(client, call, operation, ref)
    return resource.isFolder === isFolderRef(ref) ? foundOf(client.access, ref, resource) : null
  } catch (error) {
    if (isFailure(error, 'NotFound') || (await isOtherKind(client, call, operation, ref, error))) return null
    throw error
  }
}

/** Some servers refuse the path of a file with a slash at the end as malformed, instead of not finding it. */
async function isOtherKind(
  client: DavClient,
  call: Call,
  operation: string,
  ref: EntryRef,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ProviderError) || error.where.status !== 400 || !isFolderRef(ref)) return false
  const other = await resourceAt(client, call, operation, asKind(ref, 'file')).catch(nothingWhen('NotFound'))
  return other?.isFolder === false
}

/** Message of the error when a response names other paths than the request, as behind a proxy that changes them. */
export const OTHER_PATH = 'The response is about another path.'

/** @throws NotFound */
async function resourceAt(client: DavClient, call: Call, operation: string, ref: EntryRef): Promise<DavResource> {
  const path = client.pathOf(ref)
  let own: DavResource | null = null
  for await (const resource of client.propfind(call, operation, { at: ref, depth: 0 })) {
    if (isSamePath(hrefPath(resource.href), path)) own = resource
  }
  if (own === null) throw failed(operation, 'Transient', OTHER_PATH)
  if (own.status === 404 || own.status === 410) throw failed(operation, 'NotFound', 'It is not there.')
  if (own.status !== null && own.status >= 400) throw failed(operation, 'Forbidden', 'The server does not show it.')
  return own
}

/** Everything in a folder but uploads in progress, ordered by ref. @throws NotFound */
export async function readFolder(client: DavClient, call: Call, operation: string, folder: EntryRef): Promise<Entry[]> {
  try {
    return (await readEntries(client, call, operation, folder)).sort((a, b) => (a.ref < b.ref ? -1 : 1))
  } catch (error) {
    const isFile = await isOtherKind(client, call, operation, folder, error)
    throw isFile ? failed(operation, 'NotFound', 'It is not a folder.') : error
  }
}

async function readEntries(client: DavClient, call: Call, operation: string, folder: EntryRef): Promise<Entry[]> {
  const path = client.pathOf(folder)
  const entries: Entry[] = []
  let isComplete = false
  for await (const resource of client.propfind(call, operation, { at: folder, depth: 1 })) {
    const at = hrefPath(resource.href)
    if (isSamePath(at, path)) {
      if (!resource.isFolder) throw failed(operation, 'NotFound', 'It is not a folder.')
      isComplete = true
      continue
    }
    const entry = entryIn(client, folder, at.startsWith(path) ? at.slice(path.length) : '', resource)
    if (entry) entries.push(entry)
  }
  if (!isComplete) throw failed(operation, 'Transient', 'The list does not contain the folder itself.')
  return entries
}

/** The entry of a listed resource; null for uploads in progress, deleted resources, and those that are not directly in the folder. */
function entryIn(client: DavClient, folder: EntryRef, path: string, resource: DavResource): Entry | null {
  if (resource.status !== null && resource.status >= 500) throw failed('list', 'Transient', 'The list is not complete.')
  if (resource.status === 404 || !/^[^/]+\/?$/.test(path)) return null
  // Without properties, the slash is all that says what it is.
  const isFolder = resource.isFolder || (resource.status !== null && isFolderRef(path))
  const ref = asKind(`${folder}${path}` as EntryRef, isFolder ? 'folder' : 'file')
  if (!isNameable(ref) || TEMPORARY.test(nameOf(ref))) return null
  return foundOf(client.access, ref, resource).entry
}

/** Driver.delete. */
export async function remove(client: DavClient, call: Call, operation: string, ref: EntryRef): Promise<void> {
  if (ref === ROOT) throw failed(operation, 'Forbidden', 'The root folder cannot be deleted.')
  await client
    .run(call, operation, { method: 'DELETE', at: ref, patienceMs: DELETION_MS })
    .catch(nothingWhen('NotFound'))
}

/** Of a large folder, entry by entry at the server. */
const DELETION_MS = 120_000

/** Driver.ensureFolder. @throws Conflict when a file has the name */
export async function ensureFolder(client: DavClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef> {
  const operation = 'ensureFolder'
  checkName(name, operation)
  const ref = childRef(parent, name, 'folder')
  try {
    await client.run(call, operation, { method: 'MKCOL', at: ref })
    return ref
  } catch (error) {
    // 405: something is there, after a lost response that folder. 400: Apache, of a file.
    if (!(error instanceof ProviderError) || ![400, 405].includes(error.where.status ?? 0)) throw error
    if (await find(client, call, operation, ref)) return ref
    if (error.where.status === 400 && !(await find(client, call, operation, asKind(ref, 'file')))) throw error
  }
  throw failed(operation, 'Conflict', 'A file is there.')
}

/** Driver.move. */
export async function move(
  client: DavClient,
  call: Call,
  ref: EntryRef,
  { parent = parentOf(ref), name = nameOf(ref) }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  checkName(name, 'move')
  const kind = isFolderRef(ref) ? 'folder' : 'file'
  const target = childRef(parent, name, kind)
  if (target === ref) return stat(client, call, ref)
  if (kind === 'folder' && target.startsWith(ref))
    throw failed('move', 'Permanent', 'A folder cannot be moved into itself.')
  await rename(client, call, 'move', ref, target)
  return stat(client, call, target)
}

/** Moves an entry to a ref of the same kind; replaces nothing. @throws NotFound, Conflict */
export async function rename(
  client: DavClient,
  call: Call,
  operation: string,
  from: EntryRef,
  to: EntryRef,
): Promise<void> {
  try {
    await client.relocate(call, operation, { method: 'MOVE', from, to })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    // Some servers say so of what is missing, others of a name that belongs to the other kind.
    if (isFailure(error, 'Forbidden') && !(await find(client, call, operation, from))) {
      throw new ProviderError('NotFound', error.where, error.detail)
    }
    const other = asKind(to, isFolderRef(to) ? 'file' : 'folder')
    const { status = 0 } = error.where
    const canBeTaken = isFailure(error, 'NotFound') || (status >= 300 && status < 400)
    if (canBeTaken && (await find(client, call, operation, other))) {
      throw new ProviderError('Conflict', error.where, error.detail)
    }
    throw error
  }
}

/** Driver.identity. Checks the credentials: the rest is known since they were entered. */
export async function identity(client: DavClient, call: Call): Promise<Identity> {
  await resourceAt(client, call, 'identity', ROOT)
  const { subject, email, label, user, root } = client.access
  // The label of Nextcloud and ownCloud has the name of the user, not the login.
  const place = user === null ? label : `${user}@${new URL(root).host}`
  return { subject, email, name: label, place }
}

/** Driver.quota (RFC 4331). Nextcloud and ownCloud report unlimited as -3, and unknown as -1 and -2. */
export async function quota(client: DavClient, call: Call): Promise<ProviderQuota> {
  let properties: ReadonlyMap<string, string> = new Map()
  for await (const resource of client.propfind(call, 'quota', { at: ROOT, depth: 0, properties: 'QUOTA' })) {
    properties = resource.properties
  }
  const [available, used] = [
    wholeOf(properties.get('quota-available-bytes')),
    wholeOf(properties.get('quota-used-bytes')),
  ]
  const usedBytes = used !== null && used >= 0 ? used : null
  if (available === -3) return { state: 'UNLIMITED', usedBytes, totalBytes: null }
  if (available === null || available < 0 || usedBytes === null)
    return { state: 'UNKNOWN', usedBytes, totalBytes: null }
  return { state: 'KNOWN', usedBytes, totalBytes: usedBytes + available }
}

/** Some servers report fractions, from sizes in larger units. */
function wholeOf(text: string | undefined): number | null {
  const number = text ? Math.floor(Number(text)) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

export function failed(operation: string, code: ProviderErrorCode, message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message })
}
