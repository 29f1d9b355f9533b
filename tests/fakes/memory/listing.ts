import { createHash } from 'node:crypto'
import { type Entry, type EntryRef, type Page, SHARED_WITH_ME } from '../../../server/providers/driver.ts'
import { entryOf, type MemoryAccount, type MemoryObject, type MemoryService, sharedWithMe } from './account.ts'
import type { Fail } from './errors.ts'
import type { Tree } from './tree.ts'

/** In which order everything is listed. REVERSED: the newest first, so that the content of a folder precedes it. */
type ListingOrder = 'FOLDERS_FIRST' | 'CREATION' | 'REVERSED' | 'SHUFFLED'
export type ListingStyle = {
  /** Of listings that begin from now on. */
  readonly order: ListingOrder
  /** So many entries of a page come again at the beginning of the next one. */
  readonly repeated: number
}

/** Older ones cannot be continued. */
const REMEMBERED = 100

/** Driver.listAll: what was there when the listing began and still is, as it is now. The cursor is a place in that. */
export function listEverything(
  {
    service,
    account,
    tree,
    fail,
  }: {
    readonly service: MemoryService
    readonly account: MemoryAccount
    readonly tree: Tree
    readonly fail: Fail
  },
  { order, repeated }: ListingStyle,
  cursor: string | null,
  extraRoots: readonly EntryRef[] = [],
): Page<Entry> {
  const [id, from] = cursor === null ? [begin(service, account, order), 0] : placeOf(cursor)
  const refs = account.listings.get(id)
  if (!refs || !(from <= refs.length)) throw fail('CursorReset', 'The cursor is not valid.')
  const to = Math.min(from + service.pageSize, refs.length)
  const now = service.clock.now()
  const items = refs.slice(Math.max(0, from - repeated), to).flatMap((ref) => {
    const object = account.objects.get(ref)
    const isShown = object && object.listedFrom <= now && !tree.isTrashed(object) && isIn(extraRoots, tree, object)
    return isShown ? [entryOf(service, object)] : []
  })
  if (from === 0 && extraRoots.includes(SHARED_WITH_ME)) items.unshift(sharedWithMe(account.root))
  return { items, cursor: to < refs.length ? `${id}:${to}` : null }
}

/** What is in a shared drive is listed with that drive only. */
export function isIn(extraRoots: readonly EntryRef[], tree: Tree, object: MemoryObject): boolean {
  const drive = tree.driveOf(object)
  return drive === null || extraRoots.includes(drive)
}

function placeOf(cursor: string): readonly [string, number] {
  const [, id = '', from = ''] = /^([^:]+):(\d+)$/.exec(cursor) ?? []
  return [id, from === '' ? Number.NaN : Number(from)]
}

function begin(service: MemoryService, { objects, listings, root }: MemoryAccount, order: ListingOrder): string {
  const id = service.newId()
  const all = [...objects.values()].filter(({ ref }) => ref !== root)
  listings.set(
    id,
    ordered(all, order).map(({ ref }) => ref),
  )
  const [oldest] = listings.keys()
  if (listings.size > REMEMBERED && oldest !== undefined) listings.delete(oldest)
  return id
}

/** From the order of creation. */
function ordered(objects: readonly MemoryObject[], order: ListingOrder): readonly MemoryObject[] {
  if (order === 'REVERSED') return objects.toReversed()
  if (order === 'FOLDERS_FIRST')
    return objects.toSorted((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder'))
  if (order === 'CREATION') return objects
  const keys = new Map(objects.map(({ ref }) => [ref, shuffleKey(ref)]))
  return objects.toSorted((a, b) => ((keys.get(a.ref) ?? '') < (keys.get(b.ref) ?? '') ? -1 : 1))
}

const shuffleKey = (ref: EntryRef): string => createHash('md5').update(ref).digest('hex')
