import type { Lines } from '../../../lib/useLines.ts'
import type { AccountChoice, FileManager } from '../FilesContext.ts'
import { hasFilters } from '../urlState.ts'

/** The accounts by the folders that show them. */
export function rootsOf(accounts: readonly AccountChoice[]): ReadonlyMap<string, AccountChoice> {
  return new Map(accounts.flatMap((account) => (account.index ? [[account.index.rootFileId, account] as const] : [])))
}

/** Height of a heading between rows. */
const HEADING = 44

/** The rows of the folders that show accounts, from `first` to before `end`. */
type AccountGroup = { readonly first: number; readonly end: number }

type Listed = Pick<FileManager, 'view' | 'folder' | 'url' | 'sort' | 'list' | 'roots'>

/** The accounts are a separate group at the root of My Drive, sorted by name: after the folders. Null elsewhere. */
export function accountGroup({ view, folder, url, sort, list, roots }: Listed): AccountGroup | null {
  const isRoot = view === 'DRIVE' && folder === null && !hasFilters(url)
  if (!isRoot || sort.field !== 'NAME' || sort.direction !== 'ASC' || !list.key.foldersFirst) return null
  const { model } = list
  // The grid counts folders too, but its code is not loaded with the list.
  let end = 0
  while (end < model.count && model.rowAt(end)?.kind === 'FOLDER') end += 1
  let first = end
  while (first > 0 && roots.has(model.rowAt(first - 1)?.id ?? '')) first -= 1
  return first < end ? { first, end } : null
}

type Heading = { readonly text: string; readonly top: number }

/** Rows of one height, with a heading above the group and one above the files after it. */
export function listLines(
  count: number,
  rowHeight: number,
  group: AccountGroup | null,
): Lines & { readonly headings: readonly Heading[] } {
  const first = group?.first ?? count
  const end = group?.end ?? count
  const above = (index: number) => (index >= first && group ? HEADING : 0) + (index >= end && end < count ? HEADING : 0)
  const topOf = (index: number) => index * rowHeight + above(index)
  const within = (from: number, to: number, top: number) => {
    const index = from + Math.floor((top - topOf(from)) / rowHeight)
    return Math.max(from, Math.min(index, to - 1))
  }
  return {
    count,
    topOf,
    lineAt(top) {
      if (!group || top < first * rowHeight) return Math.floor(top / rowHeight)
      if (end === count || top < topOf(end) - HEADING) return within(first, end, top)
      return Math.max(end, end + Math.floor((top - topOf(end)) / rowHeight))
    },
    headings: [
      ...(group ? [{ text: 'Connected accounts', top: topOf(first) - HEADING }] : []),
      ...(group && end < count ? [{ text: 'Files', top: topOf(end) - HEADING }] : []),
    ],
  }
}
