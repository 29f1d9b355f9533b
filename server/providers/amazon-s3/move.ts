import { createSemaphore } from '../../lib/concurrency.ts'
import type { Call, Entry, EntryRef } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { KIND } from './client.ts'
import { copyVerified, targetOf } from './copy.ts'
import { folderEntry, isFolder, keyOf, nameOf, parentOf, ROOT } from './entry.ts'
import { checkName, entryOf, requireFolder, requireFree, type S3Context } from './files.ts'
import { deleteObject, deleteObjects, find, hasKeys, head, listPage, putMarker, type S3Object } from './objects.ts'

const OPERATION = 'move'
const WHERE = { provider: KIND, operation: OPERATION }
/** Objects in a folder that is moved: each is copied by a request. */
const MOST_MOVED = 100_000
const CONCURRENCY = 4
const DELETED_AT_ONCE = 1000
const MAX_TRIES = 3

/** Driver.move: copies, verifies the copies and deletes the originals, because services cannot rename. */
export async function move(
  context: S3Context,
  call: Call,
  ref: EntryRef,
  { parent = parentOf(ref), name = nameOf(ref) }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  const to = targetOf(ref, parent, name)
  if (ref === ROOT) throw new ProviderError('Forbidden', WHERE, { message: 'The root cannot be moved.' })
  checkName(name, keyOf(context.prefix, to), OPERATION)
  if (parent !== ROOT) await requireFolder(context, call, OPERATION, parent)
  return isFolder(ref) ? moveFolder(context, call, ref, to) : moveFile(context, call, ref, to)
}

async function moveFile(context: S3Context, call: Call, from: EntryRef, to: EntryRef): Promise<Entry> {
  const { client, prefix } = context
  const source = await find(client, call, OPERATION, keyOf(prefix, from))
  if (from === to) return entryOf(context, source)
  const key = keyOf(prefix, to)
  await requireFree(context, call, OPERATION, key)
  const made = await copyVerified(context, call, OPERATION, source, key)
  await deleteMoved(context, call, [source.key], [key])
  await keepFolder(context, call, parentOf(from))
  return entryOf(context, made)
}

async function moveFolder(context: S3Context, call: Call, from: EntryRef, to: EntryRef): Promise<Entry> {
  const { client, prefix } = context
  const [source, target] = [keyOf(prefix, from), keyOf(prefix, to)]
  const objects = await objectsIn(context, call, source)
  if (objects.length === 0) throw new ProviderError('NotFound', WHERE, { message: 'The folder does not exist.' })
  if (from === to) return folderEntry(from)
  if (to.startsWith(from))
    throw new ProviderError('Forbidden', WHERE, { message: 'A folder cannot be moved into itself.' })
  if (await hasKeys(client, call, OPERATION, target)) {
    throw new ProviderError('Conflict', WHERE, { message: 'The name is in use.' })
  }
  const moved = objects.map((object) => ({ object, key: target + object.key.slice(source.length) }))
  for (const { key } of moved) checkLength(key)
  await copyAll(context, call, moved)
  await deleteMoved(context, call, keysOf(objects), keysOf(moved))
  await keepFolder(context, call, parentOf(from))
  return folderEntry(to)
}

/** A folder without a marker ends with the last entry that is moved out of it: it gets one. */
async function keepFolder({ client, prefix }: S3Context, call: Call, folder: EntryRef): Promise<void> {
  if (folder === ROOT) return
  const key = keyOf(prefix, folder)
  if (!(await hasKeys(client, call, OPERATION, key))) await putMarker(client, call, OPERATION, key)
}

const keysOf = (items: readonly { readonly key: string }[]): string[] => items.map(({ key }) => key)

type Moved = { readonly object: S3Object; readonly key: string }

function* each<Item>(items: readonly Item[]): Generator<Item> {
  yield* items
}

/** Copies all or, as far as that can be undone, none. */
async function copyAll(context: S3Context, call: Call, moved: readonly Moved[]): Promise<void> {
  const made: string[] = []
  const left = each(moved)
  const copyNext = async (): Promise<void> => {
    for (const { object, key } of left) {
      call.signal.throwIfAborted()
      made.push(key)
      await copyVerified(context, call, OPERATION, await currentOf(context, call, object), key)
    }
  }
  try {
    // The first error ends the generator for all.
    const copying = Array.from({ length: CONCURRENCY }, () => copyNext())
    for (const result of await Promise.allSettled(copying)) if (result.status === 'rejected') throw result.reason
  } catch (error) {
    // The originals are all there: nothing half-moved stays.
    if (!call.signal.aborted) await deleteAll(context, call, made).catch(() => undefined)
    throw error
  }
}

/** Large objects are copied in parts, with their metadata, which lists do not have. */
async function currentOf({ client, limits }: S3Context, call: Call, object: S3Object): Promise<S3Object> {
  return object.size <= limits.copyBytes ? object : find(client, call, OPERATION, object.key)
}

function checkLength(key: string): void {
  if (Buffer.byteLength(key) <= 1024) return
  throw new ProviderError('BadName', WHERE, { message: 'A path would become too long.' })
}

async function objectsIn({ client, limits }: S3Context, call: Call, prefix: string): Promise<S3Object[]> {
  const objects: S3Object[] = []
  for (let token: string | null = null; ; ) {
    const page = await listPage(client, call, OPERATION, { prefix, token, limit: limits.pageSize })
    objects.push(...page.objects)
    if (page.token === null) return objects
    if (objects.length > MOST_MOVED) {
      const message = `A folder with more than ${MOST_MOVED} files cannot be moved here at once: move its folders one by one.`
      throw new ProviderError('Forbidden', WHERE, { message })
    }
    token = page.token
  }
}

/** Deletes the originals. If they cannot be deleted and the first is surely there, the copies are deleted instead. */
async function deleteMoved(
  context: S3Context,
  call: Call,
  originals: readonly string[],
  copies: readonly string[],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deleteAll(context, call, originals)
    } catch (error) {
      call.signal.throwIfAborted()
      if (tries < MAX_TRIES) continue
      const isWhole = await areAllThere(context, call, originals).catch(() => false)
      if (isWhole) await deleteAll(context, call, copies).catch(() => undefined)
      throw error
    }
  }
}

async function areAllThere({ client }: S3Context, call: Call, keys: readonly string[]): Promise<boolean> {
  const inTurn = createSemaphore(CONCURRENCY)
  const found = keys.map((key) => inTurn(() => head(client, call, OPERATION, key).catch(nothingWhen('NotFound'))))
  return (await Promise.all(found)).every((object) => object !== null)
}

async function deleteAll({ client }: S3Context, call: Call, keys: readonly string[]): Promise<void> {
  const [only] = keys
  if (only !== undefined && keys.length === 1) return deleteObject(client, call, OPERATION, only)
  for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
    await deleteObjects(client, call, OPERATION, keys.slice(at, at + DELETED_AT_ONCE))
  }
}
