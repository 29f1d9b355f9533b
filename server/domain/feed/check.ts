import type { Pool } from 'pg'
import { createSemaphore } from '../../lib/concurrency.ts'
import type { Call, Change, Driver, Entry, EntryRef, HashAlgorithm } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { PARTS_FOLDER } from '../accounts/credentials.ts'
import {
  isSame,
  OBJECTS,
  recordSeen,
  type SeenObject,
  type StoredObject,
  type Verdict,
} from '../files/content/seenObjects.ts'
import type { ChangeDeps } from '../files/tree/change.ts'

/** Objects that a step checks one by one. */
const OBJECTS_PER_STEP = 100
/** Concurrent calls; few, so that calls of users are not delayed. */
const CONCURRENCY = 2

/** A check of all objects of one account, in steps; a failed step is repeated by the next call. */
export type Check = {
  /** @returns whether the check is complete. @throws ProviderError */
  step(driver: Driver, call: Call): Promise<boolean>
}

/**
 * Lists Skypool's folders first, which finds most objects with few calls; the others are requested by their refs. Only that
 * response decides that an object is gone: a list that is incomplete, outdated or empty does not.
 */
export function createCheck(
  deps: ChangeDeps,
  { id, rootFolderRef }: { readonly id: string; readonly rootFolderRef: string | null },
): Check {
  let since: string | null = null
  let folders =
    rootFolderRef === null ? [] : [{ ref: rootFolderRef as EntryRef, cursor: null as string | null, isRoot: true }]

  async function listNext(driver: Driver, call: Call): Promise<void> {
    const [folder] = folders
    if (!folder) return
    const page = await driver.list(call, folder.ref, folder.cursor).catch(nullWhenMissing)
    await sawAll(driver, page?.items ?? [])
    const parts = folder.isRoot
      ? (page?.items ?? []).filter(({ kind, name }) => kind === 'folder' && name === PARTS_FOLDER)
      : []
    const rest = page?.cursor ? [{ ...folder, cursor: page.cursor }] : []
    folders = [...rest, ...folders.slice(1), ...parts.map(({ ref }) => ({ ref, cursor: null, isRoot: false }))]
  }

  async function sawAll({ capabilities }: Driver, entries: readonly Entry[]): Promise<void> {
    const byRef = new Map(entries.map((entry) => [entry.ref as string, entry]))
    const text = `${OBJECTS} and p.object_ref = any($2::text[])`
    const { rows } = await deps.pool.query<StoredObject>(text, [id, [...byRef.keys()]])
    const seen = rows.flatMap((object): SeenObject[] => {
      const entry = byRef.get(object.ref)
      return entry ? [judgeEntry(object, entry, capabilities.hash)] : []
    })
    await record(seen)
  }

  async function record(seen: readonly SeenObject[]): Promise<void> {
    await recordSeen(deps, seen)
    await deps.pool.query('update pieces set checked_at = now() where id = any($1::uuid[])', [
      seen.map(({ object }) => object.pieceId),
    ])
  }

  /** Checks objects that no list contained. @returns whether none are left */
  async function statUnlisted(driver: Driver, call: Call): Promise<boolean> {
    const text = `${OBJECTS} and (p.checked_at is null or p.checked_at < $2::timestamptz) limit ${OBJECTS_PER_STEP}`
    const { rows } = await deps.pool.query<StoredObject>(text, [id, since])
    const inTurn = createSemaphore(CONCURRENCY)
    const seen = await Promise.allSettled(rows.map((object) => inTurn(() => statObject(driver, call, object))))
    await record(seen.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
    const failed = seen.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return rows.length < OBJECTS_PER_STEP
  }

  return {
    async step(driver, call) {
      since ??= await now(deps.pool)
      if (folders.length === 0) return statUnlisted(driver, call)
      await listNext(driver, call)
      return false
    },
  }
}

/** Requests an object by its ref: GONE for NotFound. @throws ProviderError for other errors */
export async function statObject(driver: Driver, call: Call, object: StoredObject): Promise<SeenObject> {
  try {
    // The cast is safe: only refs issued by this driver are stored.
    return judgeEntry(object, await driver.stat(call, object.ref as EntryRef), driver.capabilities.hash)
  } catch (error) {
    call.signal.throwIfAborted()
    if (!(error instanceof ProviderError) || error.code !== 'NotFound') throw error
    return { object, verdict: 'GONE', ref: object.ref, path: object.path }
  }
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof ProviderError && error.code === 'NotFound') return null
  throw error
}

async function now(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select now()::text as now')
  return rows[0]?.now ?? ''
}

/** Another entry is at an object's path. A request for the object's own ref decides whether the object still exists. */
export type Replacement = { readonly object: StoredObject; readonly entry: Entry }

export type Judgement = {
  readonly seen: readonly SeenObject[]
  readonly replacements: readonly Replacement[]
  /** A folder was deleted or restored; the feed need not mention its contents. */
  readonly folderGone: boolean
  readonly folderThere: boolean
}

/** Compares a stored object with its entry. */
export function judgeEntry(object: StoredObject, entry: Entry, algorithm: HashAlgorithm | null): SeenObject {
  const verdict = isSame(object, entry, algorithm) ? 'SAME' : 'OTHER'
  return { object, verdict, ref: entry.ref, path: entry.path ?? null }
}

type State = { verdict: Verdict | null; path: string | null; replacement: Entry | null }

/**
 * What changes, in their order, mean for stored objects (`objects`: those with a ref or path that the changes mention). The last
 * change of an object decides: a move is a deletion at one path and an entry at another, in any order.
 */
export function judgeChanges(
  objects: readonly StoredObject[],
  changes: readonly Change[],
  algorithm: HashAlgorithm | null,
): Judgement {
  const states = new Map<StoredObject, State>()
  const byRef = new Map<string, StoredObject[]>()
  const places = createPlaces()
  for (const object of objects) {
    states.set(object, { verdict: null, path: object.path, replacement: null })
    byRef.set(object.ref, [...(byRef.get(object.ref) ?? []), object])
    places.put(object, object.path)
  }
  let [folderGone, folderThere] = [false, false]

  const see = (object: StoredObject, verdict: Verdict, path: string | null): void => {
    places.put(object, path, states.get(object)?.path)
    states.set(object, { verdict, path, replacement: null })
  }
  for (const change of changes) {
    const { entry } = change
    if (change.ref === null) {
      for (const object of places.under(change.path)) see(object, 'GONE', states.get(object)?.path ?? null)
      continue
    }
    const own = byRef.get(change.ref) ?? []
    if (entry === null) {
      folderGone ||= change.kind === 'folder'
      for (const object of own) see(object, 'GONE', states.get(object)?.path ?? null)
      continue
    }
    folderThere ||= entry.kind === 'folder'
    for (const object of own) see(object, isSame(object, entry, algorithm) ? 'SAME' : 'OTHER', entry.path ?? null)
    if (own.length > 0 || entry.kind === 'folder' || entry.path === undefined) continue
    for (const object of places.at(entry.path)) {
      states.set(object, { verdict: 'GONE', path: entry.path, replacement: entry })
    }
  }

  const seen: SeenObject[] = []
  const replacements: Replacement[] = []
  for (const [object, { verdict, path, replacement }] of states) {
    if (replacement) replacements.push({ object, entry: replacement })
    else if (verdict) seen.push({ object, verdict, ref: object.ref, path })
  }
  return { seen, replacements, folderGone, folderThere }
}

/** Objects by their path and by every folder above it. */
function createPlaces() {
  const inside = new Map<string, Set<StoredObject>>()
  const exact = new Map<string, Set<StoredObject>>()

  function each(path: string, act: (place: Map<string, Set<StoredObject>>, key: string) => void): void {
    act(exact, path)
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) act(inside, path.slice(0, at))
  }

  return {
    put(object: StoredObject, path: string | null, before: string | null = null): void {
      if (before !== null) each(before, (place, key) => place.get(key)?.delete(object))
      if (path === null) return
      each(path, (place, key) => place.set(key, (place.get(key) ?? new Set()).add(object)))
    },
    at: (path: string): readonly StoredObject[] => [...(exact.get(path) ?? [])],
    under: (path: string): readonly StoredObject[] => [...(inside.get(path) ?? [])],
  }
}
