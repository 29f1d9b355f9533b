import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { KIND, type S3Client, type S3Limits } from './client.ts'
import {
  fileEntry,
  folderEntry,
  isFolder,
  isKey,
  isName,
  isShown,
  keyOf,
  newFolders,
  parentOf,
  ROOT,
  refOf,
  rootEntry,
} from './entry.ts'
import { failureOf } from './errors.ts'
import {
  deleteObject,
  deleteObjects,
  find,
  hasKeys,
  head,
  listPage,
  md5InTag,
  putMarker,
  type S3Object,
  type WriteCondition,
} from './objects.ts'
import type { Places } from './places.ts'

/** The account: a folder of a bucket. */
export type S3Context = {
  readonly client: S3Client
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** Whether the ETag of an object that was stored by one request is its MD5. */
  readonly trustsTags: boolean
  /** Empty where the service supports none. */
  readonly condition: WriteCondition
  readonly limits: S3Limits
  readonly places: Places
}

export const entryOf = (context: S3Context, object: S3Object): Entry =>
  fileEntry(context.prefix, object, md5OfObject(context, object))

/** As the service reports it, else as it was stored with the object. */
export function md5OfObject({ trustsTags }: S3Context, { etag, isOpaque, storedMd5 }: S3Object): string | null {
  return (trustsTags && !isOpaque ? md5InTag(etag) : null) ?? storedMd5
}

export async function stat(context: S3Context, call: Call, ref: EntryRef): Promise<Entry> {
  const { client, prefix } = context
  if (!isFolder(ref)) return entryOf(context, await find(client, call, 'stat', keyOf(prefix, ref)))
  await requireFolder(context, call, 'stat', ref)
  return ref === ROOT ? rootEntry() : folderEntry(ref)
}

/** Also calls the service for the root, which always exists. @throws NotFound */
export async function requireFolder(
  { client, prefix }: S3Context,
  call: Call,
  operation: string,
  folder: EntryRef,
): Promise<void> {
  const hasAny = await hasKeys(client, call, operation, keyOf(prefix, folder))
  if (!hasAny && folder !== ROOT) throw noFolder(operation)
}

/** @throws Conflict */
export async function requireFree({ client }: S3Context, call: Call, operation: string, key: string): Promise<void> {
  const other = await head(client, call, operation, key).catch(nothingWhen('NotFound'))
  if (other) throw new ProviderError('Conflict', { provider: KIND, operation }, { message: 'The name is in use.' })
}

const noFolder = (operation: string): ProviderError =>
  new ProviderError('NotFound', { provider: KIND, operation }, { message: 'The folder does not exist.' })

export async function list(
  context: S3Context,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  const { client, prefix, limits } = context
  const request = { prefix: keyOf(prefix, folder), delimiter: '/', token: cursor, limit: limits.pageSize } as const
  const page = await listPage(client, call, 'list', request).catch((error: unknown) => {
    throw cursor === null ? error : cursorError(error)
  })
  const { objects, prefixes, token } = page
  if (cursor === null && folder !== ROOT && objects.length + prefixes.length === 0) throw noFolder('list')
  const files = objects.filter(({ key }) => !isFolder(key)).map((object) => entryOf(context, object))
  const folders = prefixes.map((key) => folderEntry(refOf(prefix, key)))
  return { items: [...files, ...folders].filter(({ ref }) => isShown(ref)), cursor: token }
}

/** A token that the service does not know is an invalid argument. */
function cursorError(error: unknown): unknown {
  if (!isFailure(error, 'Permanent') || failureOf(error)?.status !== 400) return error
  return new ProviderError('CursorReset', error.where, error.detail)
}

/** Driver.listAll: all keys in their order, with the folders that they are in. The cursor is the last key, so it stays valid. */
export async function listAll(context: S3Context, call: Call, cursor: string | null): Promise<Page<Entry>> {
  const { client, prefix, limits } = context
  const after = cursor === null ? null : keyOf(prefix, readCursor(cursor))
  const { objects, token } = await listPage(client, call, 'listAll', { prefix, after, limit: limits.pageSize })
  const last = objects.at(-1)?.key ?? null
  if (token !== null && (last === null || last === after)) {
    throw new ProviderError('Transient', LIST_ALL, { message: 'The list does not continue.' })
  }
  const items: Entry[] = []
  let previous = after === null ? null : refOf(prefix, after)
  for (const object of objects) {
    const ref = refOf(prefix, object.key)
    items.push(...newFolders(previous, ref).map(folderEntry))
    if (!isFolder(ref)) items.push(entryOf(context, object))
    previous = ref
  }
  const next = token === null || last === null ? null : CURSOR + refOf(prefix, last)
  return { items: items.filter(({ ref }) => isShown(ref)), cursor: next }
}

const LIST_ALL = { provider: KIND, operation: 'listAll' }
const CURSOR = 'after:'

/** @throws CursorReset */
function readCursor(cursor: string): string {
  if (cursor.startsWith(`${CURSOR}/`)) return cursor.slice(CURSOR.length)
  throw new ProviderError('CursorReset', LIST_ALL, { message: 'The place in the list is not known.' })
}

export async function ensureFolder(
  { client, prefix }: S3Context,
  call: Call,
  parent: EntryRef,
  name: string,
): Promise<EntryRef> {
  const ref = `${parent}${name}/` as EntryRef
  const key = keyOf(prefix, ref)
  checkName(name, key, 'ensureFolder')
  if (!(await hasKeys(client, call, 'ensureFolder', key))) await putMarker(client, call, 'ensureFolder', key)
  return ref
}

/** @throws BadName */
export function checkName(name: string, key: string, operation: string): void {
  if (isName(name) && isKey(key)) return
  throw new ProviderError(
    'BadName',
    { provider: KIND, operation },
    { message: 'The service does not accept this name.' },
  )
}

/** A folder without a marker object ends with the last entry that leaves it: before that, it gets one. */
export async function keepFolder(
  { client, prefix }: S3Context,
  call: Call,
  operation: string,
  leaving: EntryRef,
): Promise<void> {
  const folder = parentOf(leaving)
  if (folder === ROOT) return
  const key = keyOf(prefix, folder)
  const { objects, prefixes } = await listPage(client, call, operation, { prefix: key, delimiter: '/', limit: 2 })
  const [only, ...others] = [...objects.map((object) => object.key), ...prefixes]
  if (only === keyOf(prefix, leaving) && others.length === 0) await putMarker(client, call, operation, key)
}

/** A folder with everything in it, its own object last, so that a part of it stays visible when this is interrupted. */
export async function remove(context: S3Context, call: Call, ref: EntryRef): Promise<void> {
  const { client, prefix, limits } = context
  const key = keyOf(prefix, ref)
  if (ref !== ROOT) await keepFolder(context, call, 'delete', ref)
  if (!isFolder(ref)) return deleteObject(client, call, 'delete', key)
  if (ref === ROOT) {
    throw new ProviderError('Forbidden', { provider: KIND, operation: 'delete' }, { message: 'The root stays.' })
  }
  for (;;) {
    // From the beginning each time: what was deleted is not listed again.
    const { objects, token } = await listPage(client, call, 'delete', { prefix: key, limit: limits.pageSize })
    const inside = objects.map((object) => object.key).filter((other) => other !== key)
    await deleteObjects(client, call, 'delete', inside)
    if (token === null) return deleteObject(client, call, 'delete', key)
    if (inside.length === 0) {
      throw new ProviderError('Transient', { provider: KIND, operation: 'delete' }, { message: 'The list has no end.' })
    }
  }
}
