import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { type BoxContext, KIND } from './client.ts'
import { ROOT } from './entry.ts'
import { readFolder } from './files.ts'

/**
 * A folder of which one page was read: the marker of its next page, and the folders of that page which were not read yet. Box has no
 * list of the whole account, so the walk goes down into each folder of a page before it reads the next page. A cursor has the folders
 * from the root to the current one, and no more than one page of folders of each.
 */
type Level = { readonly folder: EntryRef; readonly marker: string | null; readonly waiting: readonly EntryRef[] }

/** Folders that are read for one page of the listing, at most. */
const FOLDERS_A_PAGE = 20

/** Driver.listAll. Folders that are gone when their turn comes are left out. */
export async function listAll(context: BoxContext, call: Call, cursor: string | null): Promise<Page<Entry>> {
  const levels = cursor === null ? null : readLevels(cursor)
  const items: Entry[] = []
  let walk = levels ?? []
  for (let count = 0; count < FOLDERS_A_PAGE && items.length < context.limits.pageSize; count += 1) {
    const next = count === 0 && levels === null ? { above: [], folder: ROOT, marker: null } : nextOf(walk)
    if (next === null) return { items, cursor: null }
    const reading = readFolder(context, call, 'listAll', next.folder, next.marker)
    const page = await (next.folder === ROOT ? reading : reading.catch(nothingWhen('NotFound')))
    walk = [...next.above]
    if (page === null) continue
    items.push(...page.items)
    const waiting = page.items.filter(({ kind }) => kind === 'folder').map(({ ref }) => ref)
    if (waiting.length > 0 || page.cursor !== null) walk.push({ folder: next.folder, marker: page.cursor, waiting })
  }
  return { items, cursor: nextOf(walk) === null ? null : JSON.stringify(walk) }
}

type Next = { readonly above: readonly Level[]; readonly folder: EntryRef; readonly marker: string | null }

/** The page to read next, and the levels above it; null at the end. */
function nextOf(levels: readonly Level[]): Next | null {
  const last = levels.at(-1)
  if (!last) return null
  const rest = levels.slice(0, -1)
  const [folder, ...waiting] = last.waiting
  if (folder !== undefined) return { above: [...rest, { ...last, waiting }], folder, marker: null }
  return last.marker === null ? nextOf(rest) : { above: rest, folder: last.folder, marker: last.marker }
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
  const { folder, marker, waiting } = value as Record<string, unknown>
  const isMarker = marker === null || typeof marker === 'string'
  return (
    typeof folder === 'string' && isMarker && Array.isArray(waiting) && waiting.every((id) => typeof id === 'string')
  )
}
