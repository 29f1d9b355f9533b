import { createSemaphore } from '../../lib/concurrency.ts'
import type { Call, Entry, EntryRef } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { KIND } from './client.ts'
import { copyVerified, isSameContent, targetOf } from './copy.ts'
import { folderEntry, isFolder, keyOf, nameOf, parentOf, ROOT } from './entry.ts'
import { checkName, entryOf, keepFolder, requireFolder, requireFree, type S3Context } from './files.ts'
import {
  deleteObject,
  deleteObjects,
  find,
  hasKeys,
  head,
  isMovedFrom,
  listPage,
  putMarker,
  type S3Object,
} from './objects.ts'

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
  await keepFolder(context, call, OPERATION, from)
  await deleteMoved(context, call, [source.key], [key])
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
  const pairs = objects.map((object) => ({ object, key: target + object.key.slice(source.length) }))
  for (const { key } of pairs) checkLength(key)
  const isTaken = await hasKeys(client, call, OPERATION, target)
  const done = isTaken ? await copiedBefore(context, call, source, target, pairs) : new Set<string>()
  if (!isTaken) await putMarker(client, call, OPERATION, target, source)
  const moved = pairs.filter(({ key }) => key !== target)
  // What an interrupted attempt has copied stays, so that the next one continues there.
  const undo = isTaken ? null : target
  const open = moved.filter(({ key }) => !done.has(key))
  await copyAll(context, call, open, undo)
  await keepFolder(context, call, OPERATION, from)
  const originals = moved.map(({ object }) => object)
  await deleteMoved(context, call, keysOf(originals), [...keysOf(moved), target])
  await endMarkers(context, call, pairs.find(({ key }) => key === target)?.object ?? null, target)
  return folderEntry(to)
}

/** The target has its marker object, if the folder had one. */
async function endMarkers(context: S3Context, call: Call, original: S3Object | null, target: string): Promise<void> {
  if (original === null) return deleteObject(context.client, call, OPERATION, target)
  const { client } = context
  if (original.size > 0) await copyVerified(context, call, OPERATION, original, target)
  await deleteObject(client, call, OPERATION, original.key)
  if (original.size === 0) await putMarker(client, call, OPERATION, target)
}

/** After this time, a folder of the same name is another one. */
const CONTINUED_MS = 7 * 86_400_000

/**
 * The keys that an interrupted move of the same folder has copied already. @throws Conflict when the target is another folder, or has
 * other contents than the originals
 */
async function copiedBefore(
  context: S3Context,
  call: Call,
  source: string,
  target: string,
  pairs: readonly Moved[],
): Promise<Set<string>> {
  const marker = await head(context.client, call, OPERATION, target).catch(nothingWhen('NotFound'))
  const startedAt = marker !== null && isMovedFrom(marker, source) ? marker.modifiedAt : null
  const originals = new Map(pairs.map(({ object, key }) => [key, object]))
  const isContinued = startedAt !== null && Date.now() - startedAt.getTime() < CONTINUED_MS
  const copies = isContinued ? await objectsIn(context, call, target) : null
  const isCopy = (made: S3Object) => {
    const original = originals.get(made.key)
    return original === undefined || made.key === target || isSameContent(context, original, made)
  }
  if (!copies?.every(isCopy)) throw new ProviderError('Conflict', WHERE, { message: 'The name is in use.' })
  return new Set(keysOf(copies))
}

const keysOf = (items: readonly { readonly key: string }[]): string[] => items.map(({ key }) => key)

type Moved = { readonly object: S3Object; readonly key: string }

function* each<Item>(items: readonly Item[]): Generator<Item> {
  yield* items
}

/** Copies all or, with the `marker` of a new attempt, as far as that can be undone, none. */
async function copyAll(context: S3Context, call: Call, moved: readonly Moved[], marker: string | null): Promise<void> {
  const made = marker === null ? [] : [marker]
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
    if (!call.signal.aborted && marker !== null) await deleteAll(context, call, made).catch(() => undefined)
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
