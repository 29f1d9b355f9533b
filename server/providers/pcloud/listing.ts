import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { KIND, type PcloudClient } from './client.ts'
import { entryOf, isFolder, type Metadata, numberOf, ROOT } from './entry.ts'

/** The contents of folders. pCloud returns a folder as a whole: it is kept for a moment, for the next pages. */
export type Folders = {
  /** In the order of refs. @throws NotFound */
  read(call: Call, operation: string, folder: EntryRef): Promise<readonly Entry[]>
  /** As it was read a short time ago, if it was. */
  again(call: Call, operation: string, folder: EntryRef): Promise<readonly Entry[]>
}

const KEPT_MS = 60_000
/** Entries that are kept, in all folders together; a larger folder is kept alone. */
const MOST_KEPT = 100_000

export async function metadataOfFolder(
  client: PcloudClient,
  call: Call,
  operation: string,
  folder: EntryRef,
): Promise<Metadata> {
  const folderid = isFolder(folder) ? numberOf(folder, operation) : ''
  if (folderid !== '') {
    const { metadata } = await client.ask<{ metadata: Metadata }>(call, operation, 'listfolder', { folderid })
    return metadata
  }
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It is not a folder.' })
}

export function createFolders(client: PcloudClient, now: () => number): Folders {
  const kept = new Map<EntryRef, { readonly entries: readonly Entry[]; readonly until: number }>()

  async function read(call: Call, operation: string, folder: EntryRef): Promise<readonly Entry[]> {
    const { contents = [] } = await metadataOfFolder(client, call, operation, folder)
    const entries = contents.map(entryOf).toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
    kept.delete(folder)
    kept.set(folder, { entries, until: now() + KEPT_MS })
    let count = [...kept.values()].reduce((sum, one) => sum + one.entries.length, 0)
    for (const [ref, one] of kept) {
      if (ref === folder || (count <= MOST_KEPT && one.until > now())) continue
      kept.delete(ref)
      count -= one.entries.length
    }
    return entries
  }

  return {
    read,
    async again(call, operation, folder) {
      const known = kept.get(folder)
      return known && known.until > now() ? known.entries : read(call, operation, folder)
    },
  }
}

/** Driver.list: the cursor is the last ref. */
export async function list(
  folders: Folders,
  call: Call,
  { folder, cursor, pageSize }: { folder: EntryRef; cursor: string | null; pageSize: number },
): Promise<Page<Entry>> {
  call.signal.throwIfAborted()
  const all = cursor === null ? await folders.read(call, 'list', folder) : await folders.again(call, 'list', folder)
  const rest = cursor === null ? all : all.filter(({ ref }) => ref > cursor)
  const items = rest.slice(0, pageSize)
  return { items, cursor: rest.length > items.length ? (items.at(-1)?.ref ?? null) : null }
}

/** A folder of the walk, and the last ref in it that was reported. */
type Level = { readonly folder: EntryRef; after: string }

/** Folders that are read for one page of the listing, at most. */
const FOLDERS_A_PAGE = 20

/**
 * Driver.listAll. pCloud does not list a whole account for apps, so the walk goes from folder to folder, each before what it contains.
 * The cursor has the folders from the root to the current one. Folders that are gone when their turn comes are left out.
 */
export async function listAll(
  folders: Folders,
  call: Call,
  { cursor, pageSize }: { cursor: string | null; pageSize: number },
): Promise<Page<Entry>> {
  const levels: Level[] = cursor === null ? [{ folder: ROOT, after: '' }] : readLevels(cursor)
  const items: Entry[] = []
  for (let count = 0; count < FOLDERS_A_PAGE; ) {
    const level = levels.at(-1)
    if (!level) return { items, cursor: null }
    if (level.after === '') count += 1
    const reading =
      level.after === '' ? folders.read(call, 'listAll', level.folder) : folders.again(call, 'listAll', level.folder)
    const entries = await (level.folder === ROOT ? reading : reading.catch(nothingWhen('NotFound')))
    const inner = walkOn(level, entries ?? [], pageSize, items)
    if (items.length >= pageSize) {
      if (inner) levels.push(inner)
      return { items, cursor: JSON.stringify(levels) }
    }
    if (inner) levels.push(inner)
    else levels.pop()
  }
  return { items, cursor: levels.length > 0 ? JSON.stringify(levels) : null }
}

/** Reports entries of a folder until the page is full, or one is a folder, which is walked through next. */
function walkOn(level: Level, entries: readonly Entry[], pageSize: number, items: Entry[]): Level | null {
  const start = entries.findIndex(({ ref }) => ref > level.after)
  for (const entry of start < 0 ? [] : entries.slice(start)) {
    if (items.length >= pageSize) return null
    items.push(entry)
    level.after = entry.ref
    if (entry.kind === 'folder') return { folder: entry.ref, after: '' }
  }
  return null
}

/** @throws CursorReset for text that is not a cursor of this listing */
function readLevels(text: string): Level[] {
  try {
    const levels: unknown = JSON.parse(text)
    if (Array.isArray(levels) && levels.length > 0 && levels.every(isLevel)) return levels
  } catch {
    // Not JSON.
  }
  const message = 'This is not a cursor of a listing.'
  throw new ProviderError('CursorReset', { provider: KIND, operation: 'listAll' }, { message })
}

function isLevel(value: unknown): value is Level {
  if (typeof value !== 'object' || value === null) return false
  const { folder, after } = value as Record<string, unknown>
  return typeof folder === 'string' && typeof after === 'string'
}
