import { items, itemsText } from '../../lib/items.ts'
import { nameText } from '../../lib/nameText.ts'
import type { FilesView } from './urlState.ts'

export const VIEW_NAMES: Record<FilesView, string> = {
  ALL: 'All Files',
  DRIVE: 'My Drive',
  SHARED: 'Shared',
  STARRED: 'Starred',
  TRASH: 'Trash',
}

/** The location of a row, from the root: "My Drive / Projects / Harbour House". */
export function locationText(path: readonly { readonly name: string }[]): string {
  return [VIEW_NAMES.DRIVE, ...path.map(({ name }) => nameText(name))].join(' / ')
}

/** Why files cannot be put into a folder of an account. */
export function notAllowed(folder: string): string {
  return `The connected account does not allow putting anything into “${nameText(folder)}”.`
}

export { items, itemsText }

/** The one thing by its name, several by their number: "“Plan.pdf”", "3 items". */
export function things(names: readonly string[]): string {
  return names.length === 1 ? `“${nameText(names[0] ?? '')}”` : items(names.length)
}

/** Where the extension of a file name begins, so that renaming starts with the stem selected. */
export function stemLength(name: string, isFolder: boolean): number {
  const dot = name.lastIndexOf('.')
  return isFolder || dot <= 0 ? name.length : dot
}
