import type { Change, Entry, HashAlgorithm } from '../../providers/driver.ts'
import { isSame, type SeenObject, type StoredObject, type Verdict } from '../files/content/seenObjects.ts'

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
