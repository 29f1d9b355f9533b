import { createHash } from 'node:crypto'
import { DiskFullError, ObjectMissingError } from '../errors.ts'
import type { Found, MovePlace, Receiving } from './places.ts'
import type { KnownObject, MoveRows } from './rows.ts'

export type MoveOptions = {
  readonly from: MovePlace
  readonly to: MovePlace
  readonly rows: MoveRows
  /** Objects that are copied at the same time. */
  readonly parallel: number
  readonly signal: AbortSignal
  /** Called after each object that was moved, or has disappeared. */
  readonly onObject: (bytes: number) => void
}

/** An object that stays at the source, and why. */
export type Problem = { readonly id: string; readonly fileId: string | null; readonly reason: string }

export type Moved = {
  readonly objects: number
  readonly bytes: number
  /** Deleted by their users while they were copied. */
  readonly deleted: number
  /** Objects that no file has. They were moved like others. */
  readonly unknown: number
  readonly problems: readonly Problem[]
}

/** The source cannot be read, one object after the other: it is the service or the disk, and not the objects. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** What the target has stored is not what was sent. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}

/** Unreadable objects one after the other, with none in between. */
const MOST_UNREADABLE = 20
/** Copies of one object that the target damages. */
const ATTEMPTS = 3

/**
 * Finishes what a run that was killed has left. What it had not finished copying is copied again, unless the object was deleted since:
 * then its copy, which no server has seen, is deleted.
 */
export async function finishInterrupted(options: Pick<MoveOptions, 'from' | 'to' | 'rows'>): Promise<void> {
  const { from, to, rows } = options
  const begun = await rows.begun()
  await to.clear(begun.map(({ id }) => id))
  for (const { id, copied } of begun) {
    if (copied && (await to.store.size(id)) !== null) await from.store.delete(id)
    else if ((await from.store.size(id)) === null) await removeIfDeleted(options, id)
    await rows.end(id)
  }
}

/**
 * Deletes the copy of an object that the source does not have any more, if that is because it was deleted. While a file has it, the copy
 * is all there is, whatever has become of the source. @returns whether it was deleted
 */
async function removeIfDeleted({ to, rows }: Pick<MoveOptions, 'to' | 'rows'>, id: string): Promise<boolean> {
  if ((await rows.known([id])).get(id)?.isLive) return false
  await to.store.delete(id)
  return true
}

/**
 * Moves all published objects: copies each, reads the copy and compares it, and deletes the object at the source only after that.
 * However it ends, each object can be read in one of the two. Servers use both all the time (movingStore.ts).
 * @throws DiskFullError, SourceError, TargetError, and errors of the target and the database
 */
export async function moveObjects(options: MoveOptions): Promise<Moved> {
  const { from, signal, parallel } = options
  const total = { objects: 0, bytes: 0, deleted: 0, unknown: 0 }
  const problems = new Map<string, Problem>()
  /** They are listed, and do not exist. */
  const gone = new Set<string>()
  let failure: { readonly error: unknown } | null = null
  let unreadable = 0

  async function moveOne(found: Found): Promise<void> {
    const known = await options.rows.find(found.id)
    const outcome = await move(options, found, known)
    if (outcome === 'GONE') return void gone.add(found.id)
    if (outcome === 'DELETED') total.deleted += 1
    else if (typeof outcome === 'object') {
      problems.set(found.id, { id: found.id, fileId: known?.fileId ?? null, reason: outcome.reason })
      unreadable = outcome.isUnreadable ? unreadable + 1 : 0
      if (unreadable >= MOST_UNREADABLE) throw new SourceError(`${from.name} cannot be read: ${outcome.reason}`)
      return
    } else {
      unreadable = 0
      total.objects += 1
      total.bytes += found.size
      if (!known) total.unknown += 1
    }
    options.onObject(found.size)
  }

  /** @returns whether there was anything that is not a problem already */
  async function pass(): Promise<boolean> {
    const listed = from.list()[Symbol.asyncIterator]()
    let some = false
    const work = async () => {
      while (!failure) {
        signal.throwIfAborted()
        const next = await listed.next()
        if (next.done) return
        if (problems.has(next.value.id) || gone.has(next.value.id)) continue
        some = true
        await moveOne(next.value)
      }
    }
    const stopping = (error: unknown) => {
      failure ??= { error }
    }
    await Promise.all(Array.from({ length: parallel }, () => work().catch(stopping)))
    if (failure) throw failure.error
    return some
  }

  // Objects are published at the source until everything that is staged there is complete.
  while (await pass());
  return { ...total, problems: [...problems.values()] }
}

type Outcome = 'MOVED' | 'DELETED' | 'GONE' | { readonly reason: string; readonly isUnreadable: boolean }

async function move(options: MoveOptions, found: Found, known: KnownObject | null): Promise<Outcome> {
  const { from, to, rows } = options
  const { id, size } = found
  if (known && known.size !== size) return problem(`It has ${size} bytes, and not ${known.size}.`)
  await rows.begin(id)
  const copied = await copyVerified(options, found, known)
  const outcome = await conclude()
  await rows.end(id)
  return outcome

  async function conclude(): Promise<Outcome> {
    if (typeof copied === 'object') return copied
    if (copied === 'MISSING') {
      // The list was of an earlier moment: services can be late with it.
      if ((await to.store.size(id)) !== null || !(await rows.known([id])).get(id)?.isLive) return 'GONE'
      return problem('It is not there.')
    }
    // A server that deletes it after this look at the source will find the copy at the target. One that did so before may not have.
    if (copied === 'COPIED' && (await from.store.size(id)) === null && (await removeIfDeleted(options, id)))
      return 'DELETED'
    await rows.setCopied(id)
    await from.store.delete(id)
    return 'MOVED'
  }
}

/** THERE: the target had it already. */
type Copied = 'COPIED' | 'THERE' | 'MISSING' | Extract<Outcome, object>

async function copyVerified(
  { from, to, signal }: Pick<MoveOptions, 'from' | 'to' | 'signal'>,
  { id, size }: Found,
  known: KnownObject | null,
): Promise<Copied> {
  for (let attempt = 1; ; attempt += 1) {
    // An earlier run, or another program, has copied it.
    const isThere = (await to.store.size(id)) === size
    const receiving = isThere ? null : to.receive(id)
    try {
      const read = await readSource(from, { id, size }, receiving, signal)
      if (typeof read === 'object' || read === 'MISSING') {
        await receiving?.drop()
        return read
      }
      if (known?.sha256 && known.sha256 !== read.slice('sha256:'.length)) {
        await receiving?.drop()
        return problem('Its content is damaged: it has another SHA-256 than the file that was stored.')
      }
      await receiving?.finish()
      const stored = receiving ? receiving.read(size) : bytesOf(to, { id, size })
      if ((await hashOf(stored, size, signal).catch(unlessShort(to, { id, size }))) === read) {
        await receiving?.publish()
        return receiving ? 'COPIED' : 'THERE'
      }
    } catch (error) {
      await receiving?.drop().catch(() => undefined)
      throw error
    }
    if (receiving) await receiving.drop()
    else await to.store.delete(id)
    if (attempt === ATTEMPTS) throw new TargetError(`${to.name} has stored ${id} with another content than was sent.`)
  }
}

/** Hashes the object and passes it on. Errors of the target are thrown, those of the source returned. */
async function readSource(
  from: MovePlace,
  found: Found,
  receiving: Receiving | null,
  signal: AbortSignal,
): Promise<'MISSING' | `sha256:${string}` | Extract<Outcome, object>> {
  const hash = createHash('sha256')
  let position = 0
  const chunks = bytesOf(from, found)[Symbol.asyncIterator]()
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await chunks.next().catch(asUnreadable)
      if ('error' in next) return next.error instanceof ObjectMissingError ? 'MISSING' : unreadable(next.error)
      if (next.done) break
      position += next.value.length
      hash.update(next.value)
      await receiving?.write(next.value)
    }
  } finally {
    await chunks.return?.()
  }
  if (position !== found.size) return unreadable(new Error(`It ended after ${position} of ${found.size} bytes.`))
  return `sha256:${hash.digest('hex')}`
}

const asUnreadable = (error: unknown) => ({ error })

function bytesOf({ store }: MovePlace, { id, size }: Found): AsyncIterable<Buffer> {
  return size === 0 ? noBytes(store, id) : (store.open(id, size).read(0, size - 1) as AsyncIterable<Buffer>)
}

async function* noBytes(store: MovePlace['store'], id: string): AsyncIterable<Buffer> {
  if ((await store.size(id)) === null) throw new ObjectMissingError(id)
  yield* []
}

/** Null: it has another size, or is not there. @throws errors of the target */
async function hashOf(bytes: AsyncIterable<Buffer>, size: number, signal: AbortSignal): Promise<string | null> {
  const hash = createHash('sha256')
  let position = 0
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    position += chunk.length
    hash.update(chunk)
  }
  return position === size ? `sha256:${hash.digest('hex')}` : null
}

/** An object that is shorter than what was sent is read with an error; so is one that a server has deleted since. */
function unlessShort({ store }: MovePlace, { id, size }: Found) {
  return async (error: unknown): Promise<null> => {
    if (error instanceof ObjectMissingError) return null
    const stored = await store.size(id)
    if (stored === null || stored === size) throw error
    return null
  }
}

function problem(reason: string): Extract<Outcome, object> {
  return { reason, isUnreadable: false }
}

function unreadable(error: unknown): Extract<Outcome, object> {
  // The disk of this machine, or what is between it and the bucket; not a full target.
  if (error instanceof DiskFullError) throw error
  const message = error instanceof Error ? error.message : String(error)
  return { reason: `It cannot be read: ${message}`, isUnreadable: true }
}
