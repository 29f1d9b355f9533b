import { type FilesView, folderPath, viewPath } from './urlState.ts'

/** Where a row leads, for the browser's own "open in new tab". Nothing in the trash can be opened. */
export function rowHref(row: { readonly id: string; readonly kind: string }, view: FilesView): string | null {
  if (view === 'TRASH') return null
  if (row.kind === 'FOLDER') return folderPath(row.id)
  return `${viewPath(view)}?preview=${encodeURIComponent(row.id)}`
}
