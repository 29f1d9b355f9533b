import {
  type Change,
  type ChangePage,
  type Entry,
  type EntryRef,
  type Page,
  SHARED_WITH_ME,
  type ShareLink,
} from '../../../server/providers/driver.ts'
import { entryOf, type MemoryAccount, type MemoryObject, type MemoryService, sharedWithMe } from './account.ts'
import type { Fail } from './errors.ts'
import { isIn } from './listing.ts'
import type { Tree } from './tree.ts'

/** In the order of creation. The cursor is the last entry's number: what comes or goes meanwhile moves nothing. */
export function listFolder(
  service: MemoryService,
  tree: Tree,
  folder: EntryRef,
  cursor: string | null,
  fail: Fail,
): Page<Entry> {
  const isShared = folder === SHARED_WITH_ME
  if (!isShared) tree.folder(folder, fail)
  const now = service.clock.now()
  const after = cursor === null ? 0 : Number(cursor)
  if (Number.isNaN(after)) throw fail('CursorReset', 'The cursor is not valid.')
  const rest = (isShared ? tree.shared() : tree.children(folder))
    .filter(({ number, listedFrom }) => number > after && listedFrom <= now)
    .toSorted((a, b) => a.number - b.number)
  const items = rest.slice(0, service.pageSize)
  const last = items.at(-1)
  const isLast = rest.length <= service.pageSize || !last
  return { items: items.map((object) => entryOf(service, object)), cursor: isLast ? null : String(last.number) }
}

/** The cursor is a place in the log of changes. What is in the trash is reported as deleted, with its kind. */
export function changesSince(
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
  cursor: string | null,
  extraRoots: readonly EntryRef[] = [],
): ChangePage {
  const { changed, changesFrom, objects } = account
  const cursorAt = (position: number): string => [position, ...extraRoots].join(' ')
  if (cursor === null) return { changes: [], cursor: cursorAt(changed.length), hasMore: false }
  const [position = '', ...known] = cursor.split(' ')
  const from = Number(position)
  if (!(from >= changesFrom && from <= changed.length)) throw fail('CursorReset', 'The cursor is not valid.')
  const to = Math.min(from + service.pageSize, changed.length)
  const changes = changed.slice(from, to).flatMap((ref): Change[] => {
    const object = objects.get(ref)
    if (!object) return [{ ref, entry: null }]
    if (!isIn(extraRoots, tree, object)) return []
    return [tree.isTrashed(object) ? { ref, entry: null, kind: object.kind } : { ref, entry: entryOf(service, object) }]
  })
  const added = extraRoots.filter((ref) => !known.includes(ref)).map((ref): Change => rootChange(service, account, ref))
  return { changes: [...changes, ...added], cursor: cursorAt(to), hasMore: to < changed.length }
}

function rootChange(service: MemoryService, { root, objects }: MemoryAccount, ref: EntryRef): Change {
  if (ref === SHARED_WITH_ME) return { ref, entry: sharedWithMe(root) }
  const drive = objects.get(ref)
  return { ref, entry: drive ? entryOf(service, drive) : null }
}

/** @throws NotFound, BadName, Conflict */
export function moved(tree: Tree, ref: EntryRef, to: { parent?: EntryRef; name?: string }, fail: Fail): MemoryObject {
  const object = tree.find(ref, fail)
  const parent = to.parent ?? object.parent
  const name = to.name ?? object.name
  if (parent !== null) tree.admit(parent, name, fail, ref)
  for (let above = parent; above !== null; above = tree.find(above, fail).parent) {
    if (above === ref) throw fail('Conflict', 'A folder cannot be inside itself.')
  }
  Object.assign(object, { parent, name })
  tree.changed(object)
  return object
}

/** @throws NotFound, BadName, Conflict */
export function copyOf(
  tree: Tree,
  original: MemoryObject,
  { parent, name }: { parent: EntryRef; name: string },
  fail: Fail,
): MemoryObject {
  if (original.kind === 'folder') throw fail('Permanent', 'Folders cannot be copied.')
  tree.admit(parent, name, fail)
  const { kind, bytes, mimeType, nativeKind, target } = original
  return tree.add({ parent, name, kind, bytes, mimeType, nativeKind, target })
}

export function linkTo(service: MemoryService, object: MemoryObject, expiresAt: Date | null): ShareLink {
  object.link ??= { url: `https://${service.kind}.invalid/s/${service.newId()}`, expiresAt }
  return object.link
}
