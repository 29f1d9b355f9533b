import type { Call, Change, ChangePage, Entry, EntryRef, Page } from '../driver.ts'
import { failed } from './errors.ts'
import { type MegaContext, requireNode } from './files.ts'
import { entryOf, NODE } from './nodes.ts'
import { readFeed, readPacket, renamedIn, type Tree } from './tree.ts'

/** Pages are in the order of handles: a cursor is `after:` and the last handle, and continues in every process. */
const CURSOR = /^after:([\w-]{8})$/

/** Handles in order, of what was listed last. */
export type Order = { of(tree: Tree, key: string, isNew: boolean, handles: () => string[]): readonly string[] }

export function createOrder(): Order {
  let known: { readonly key: string; readonly version: number; readonly handles: readonly string[] } | null = null
  return {
    of(tree, key, isNew, handles) {
      // What changes during a listing is in the feed.
      const isUsable = known?.key === key && (known.version === tree.version || !isNew)
      if (!known || !isUsable) known = { key, version: tree.version, handles: handles().toSorted() }
      return known.handles
    },
  }
}

/** Driver.list. */
export async function list(
  context: MegaContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  const { tree, order } = context
  await tree.sync(call)
  const { h, t } = requireNode(context, 'list', folder)
  if (t === NODE.file) throw failed('list', 'NotFound', 'It is not a folder.')
  const handles = order.of(tree, h, true, () => tree.children(h).map((node) => node.h))
  return pageOf(context, handles, cursor)
}

/** Driver.listAll. */
export async function listAll(context: MegaContext, call: Call, cursor: string | null): Promise<Page<Entry>> {
  const { tree, order } = context
  afterOf(cursor)
  // Pages of one listing do not ask again: what changes during the listing is in the feed.
  if (cursor === null || !tree.isLoaded) await tree.sync(call)
  else call.signal.throwIfAborted()
  const handles = order.of(tree, '', cursor === null, () =>
    Array.from(tree.all(), ({ h }) => h).filter((handle) => handle !== tree.root && tree.get(handle) !== null),
  )
  return pageOf(context, handles, cursor)
}

/** @throws CursorReset for text that is no cursor of a listing */
function afterOf(cursor: string | null): string {
  const after = cursor === null ? '' : CURSOR.exec(cursor)?.[1]
  if (after !== undefined) return after
  throw failed('listAll', 'CursorReset', 'This is not a cursor of a listing.')
}

function pageOf({ tree, limits }: MegaContext, handles: readonly string[], cursor: string | null): Page<Entry> {
  const start = indexAfter(handles, afterOf(cursor))
  const page = handles.slice(start, start + limits.pageSize)
  const items = page.flatMap((handle) => {
    const node = tree.get(handle)
    return node ? [entryOf(node, tree.keys)] : []
  })
  const last = page.at(-1)
  return { items, cursor: last !== undefined && start + page.length < handles.length ? `after:${last}` : null }
}

/** The number of handles up to `after`, by halving. */
function indexAfter(handles: readonly string[], after: string): number {
  let [low, high] = [0, handles.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((handles[middle] ?? '') <= after) low = middle + 1
    else high = middle
  }
  return low
}

/** A sequence number of the account. */
const SEQUENCE = /^[\w-]{11}$/

/**
 * Driver.changes: the cursor is MEGA's sequence number. Entries are reported as the tree has them now, which is at least as new as the
 * feed.
 */
export async function changes(context: MegaContext, call: Call, cursor: string | null): Promise<ChangePage> {
  const { client, tree } = context
  if (cursor === null) {
    await tree.sync(call)
    return { changes: [], cursor: tree.sn, hasMore: false }
  }
  if (!SEQUENCE.test(cursor)) throw failed('changes', 'CursorReset', 'This is not a cursor of the account.')
  const touched = await tree.sync(call, cursor)
  if (touched) return pageOfChanges(context, touched, tree.sn, false)
  const feed = await readFeed(client, call, 'changes', cursor)
  const refs = feed.packets.flatMap((packet) => {
    const { gone, nodes } = readPacket(packet)
    return [gone ?? [], renamedIn(packet) ?? [], nodes.map(({ h }) => h)].flat()
  })
  // The feed can be newer than the tree by now.
  if (refs.length > 0) await tree.sync(call)
  return pageOfChanges(context, new Set(refs), feed.sn, feed.hasMore)
}

function pageOfChanges(
  { tree }: MegaContext,
  touched: ReadonlySet<string>,
  cursor: string,
  hasMore: boolean,
): ChangePage {
  const refs = new Set<string>()
  const add = (ref: string): void => {
    if (refs.has(ref)) return
    refs.add(ref)
    // A folder that comes back from the trash brings its content, which was reported as gone with it.
    if (tree.get(ref) !== null) for (const { h } of tree.children(ref)) add(h)
  }
  for (const ref of touched) add(ref)
  const changes = [...refs].flatMap((handle): Change[] => {
    const ref = handle as EntryRef
    const node = tree.get(handle)
    if (node) return node.h === tree.root ? [] : [{ ref, entry: entryOf(node, tree.keys) }]
    const known = tree.find(handle)
    if (known && known.t > NODE.folder) return []
    // An older version of a file is not an entry, and was the file before.
    const kind =
      known && tree.isTrashed(known) ? (known.t === NODE.file ? ('file' as const) : ('folder' as const)) : null
    return [{ ref, entry: null, ...(kind && { kind }) }]
  })
  return { changes, cursor, hasMore }
}
