import { nameText } from '../../lib/nameText.ts'
import type { Category, FilesView, UrlState } from './urlState.ts'

export const VIEW_NAMES: Record<FilesView, string> = {
  ALL: 'All Files',
  DRIVE: 'My Drive',
  SHARED: 'Shared',
  STARRED: 'Starred',
  TRASH: 'Trash',
}

export const CATEGORY_NAMES: Record<Category, string> = {
  FOLDER: 'Folders',
  IMAGE: 'Images',
  PDF: 'PDF',
  VIDEO: 'Videos',
  AUDIO: 'Audio',
  TEXT: 'Text',
  DOCUMENT: 'Documents',
  SPREADSHEET: 'Spreadsheets',
  PRESENTATION: 'Presentations',
  OTHER: 'Other',
}

/** The location of a row, from the root: "My Drive / Projects / Harbour House". */
export function locationText(path: readonly { readonly name: string }[]): string {
  return [VIEW_NAMES.DRIVE, ...path.map(({ name }) => nameText(name))].join(' / ')
}

/** "1 item", "12,431 items". */
export function items(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'item' : 'items'}`
}

/** The one thing by its name, several by their number: "“Plan.pdf”", "3 items". */
export function things(names: readonly string[]): string {
  return names.length === 1 ? `“${nameText(names[0] ?? '')}”` : items(names.length)
}

/** Of a group cloud or a provider; null for one that is not there. */
export function nameOf(
  all: readonly { readonly id: string; readonly name: string }[],
  id: string | null,
): string | null {
  return all.find((one) => one.id === id)?.name ?? null
}

/** The active filters as text: "Type: PDF, Provider: Dropbox"; empty without filters. */
export function filterText(url: UrlState, groupCloudName: string | null, providerName: string | null): string {
  const parts = [
    url.categories.length > 0 && `Type: ${url.categories.map((category) => CATEGORY_NAMES[category]).join(', ')}`,
    url.groupCloud && `Group cloud: ${groupCloudName ?? 'unknown'}`,
    url.provider && `Provider: ${providerName ?? url.provider}`,
    url.atRisk && 'At risk',
  ]
  return parts.filter(Boolean).join(', ')
}

/** Where the extension of a file name begins, so that renaming starts with the stem selected. */
export function stemLength(name: string, isFolder: boolean): number {
  const dot = name.lastIndexOf('.')
  return isFolder || dot <= 0 ? name.length : dot
}
