import { createHash } from 'node:crypto'
import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import { isFolderPath, parentOf, ROOT } from './address.ts'
import { type DavClient, KIND } from './client.ts'
import { readFolder } from './files.ts'

export type Listing = {
  /** Driver.list. A folder is read once and returned in pages; a cursor that another process continues reads it again. */
  list(call: Call, folder: EntryRef, cursor: string | null): Promise<Page<Entry>>
  /**
   * Driver.listAll: folder by folder, each before the folders in it. The cursor is the place in this order, so that it stays valid.
   * Folders that the server does not let the user open are left out.
   */
  listAll(call: Call, cursor: string | null): Promise<Page<Entry>>
}

/** Entries of folders that are kept until their last page was returned. */
const MAX_KEPT = 200_000
/** Folders that are read for one page of everything, at most. */
const FOLDERS_A_PAGE = 20
/** Deeper folders are listed, but not what is in them. */
const MAX_DEPTH = 100

/** Of a folder: the folders in it that can be opened, and a digest of everything in it. */
type Above = { readonly folders: readonly EntryRef[]; readonly signature: string }

/** Where a listing continues: in a folder, after an entry of it. */
type Place = { readonly folder: EntryRef; readonly after: string | null }

export function createListing(client: DavClient, pageSize: number): Listing {
  const kept = new Map<EntryRef, readonly Entry[]>()
  /** The folders above the current place of a listing of everything. */
  const above = new Map<EntryRef, Above>()

  function keep(folder: EntryRef, entries: readonly Entry[]): void {
    kept.delete(folder)
    kept.set(folder, entries)
    let size = [...kept.values()].reduce((sum, { length }) => sum + length, 0)
    for (const [other, { length }] of kept) {
      if (size <= MAX_KEPT || other === folder) break
      kept.delete(other)
      size -= length
    }
  }

  /** The entries after a place, at most `most`; `isLast`: there are no more in this folder. */
  async function read(call: Call, operation: string, { folder, after }: Place, most: number) {
    const known = after === null ? undefined : kept.get(folder)
    const entries = known ?? (await readFolder(client, call, operation, folder))
    const from = after === null ? 0 : entries.findIndex(({ ref }) => ref > after)
    const items = from < 0 ? [] : entries.slice(from, from + most)
    const isLast = from < 0 || from + most >= entries.length
    if (isLast) kept.delete(folder)
    else keep(folder, entries)
    return { entries, items, isLast }
  }

  /** The first folder after `folder` that is not in it; null at the end. */
  async function nextAfter(call: Call, folder: EntryRef): Promise<EntryRef | null> {
    for (let at = folder; at !== ROOT; at = parentOf(at)) {
      const parent = parentOf(at)
      const known = above.get(parent) ?? aboveOf((await readOrSkip(call, { folder: parent, after: null })).entries)
      above.set(parent, known)
      const next = known.folders.find((ref) => ref > at)
      if (next !== undefined) return next
      above.delete(parent)
    }
    return null
  }

  /** A folder that was deleted or cannot be opened is empty; the root must be readable. */
  async function readOrSkip(call: Call, place: Place, most = pageSize) {
    return read(call, 'listAll', place, most).catch((error: unknown) => {
      const isSkipped = isFailure(error, 'NotFound') || isFailure(error, 'Forbidden')
      if (place.folder === ROOT || !isSkipped) throw error
      return { entries: [], items: [], isLast: true }
    })
  }

  /** Whether a folder is one of those above it: links in the server's file system can make circles. */
  function isCircle(folder: EntryRef, { folders, signature }: Above): boolean {
    if (folders.length === 0) return false
    for (let at = folder; at !== ROOT; ) {
      at = parentOf(at)
      if (above.get(at)?.signature === signature) return true
    }
    return false
  }

  async function step(
    call: Call,
    place: Place,
    most: number,
  ): Promise<{ items: readonly Entry[]; next: Place | null }> {
    const { folder, after } = place
    const { entries, items, isLast } = await readOrSkip(call, place, most)
    if (!isLast && after !== null) return { items, next: { folder, after: items.at(-1)?.ref ?? null } }
    const own = aboveOf(entries)
    if (after === null && isCircle(folder, own)) {
      kept.delete(folder)
      return { items: [], next: placeIn(await nextAfter(call, folder)) }
    }
    if (!isLast) return { items, next: { folder, after: items.at(-1)?.ref ?? null } }
    const first = folder.split('/').length > MAX_DEPTH ? undefined : own.folders[0]
    if (first !== undefined) above.set(folder, own)
    return { items, next: placeIn(first ?? (await nextAfter(call, folder))) }
  }

  return {
    async list(call, folder, cursor) {
      const { items, isLast } = await read(call, 'list', { folder, after: cursor }, pageSize)
      return { items, cursor: isLast ? null : (items.at(-1)?.ref ?? null) }
    },
    async listAll(call, cursor) {
      let place: Place | null = cursor === null ? { folder: ROOT, after: null } : readPlace(cursor)
      if (cursor === null) above.clear()
      const items: Entry[] = []
      for (let folders = 0; place !== null && folders < FOLDERS_A_PAGE && items.length < pageSize; folders += 1) {
        const page: Awaited<ReturnType<typeof step>> = await step(call, place, pageSize - items.length)
        items.push(...page.items)
        place = page.next
      }
      return { items, cursor: place === null ? null : JSON.stringify(place) }
    },
  }
}

function placeIn(folder: EntryRef | null): Place | null {
  return folder === null ? null : { folder, after: null }
}

function aboveOf(entries: readonly Entry[]): Above {
  const folders = entries.filter(({ kind, details }) => kind === 'folder' && details?.rights.read !== false)
  const digest = createHash('sha256')
  for (const { name, kind, size, modifiedAt } of entries) digest.update(JSON.stringify([name, kind, size, modifiedAt]))
  return { folders: folders.map(({ ref }) => ref), signature: digest.digest('base64') }
}

/** @throws CursorReset */
function readPlace(cursor: string): Place {
  try {
    const { folder, after } = JSON.parse(cursor) as Partial<Record<keyof Place, unknown>>
    if (isFolderPath(folder) && (after === null || typeof after === 'string')) return { folder, after }
  } catch {
    // Not JSON: not one of ours.
  }
  throw new ProviderError(
    'CursorReset',
    { provider: KIND, operation: 'listAll' },
    { message: 'The cursor is not known.' },
  )
}
