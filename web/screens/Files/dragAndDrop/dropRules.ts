/** Where dragged rows can be dropped. `parent`: into that folder (null: the root). */
export type DropTarget =
  | { readonly kind: 'folder'; readonly id: string | null; readonly name: string }
  | { readonly kind: 'trash' }
  | { readonly kind: 'starred' }

/** A private type for dragged rows, to distinguish them from files of the desktop. */
export const ROWS_TYPE = 'application/x-skypool-rows'

/** Null when the drop is allowed, otherwise the reason as text. */
export function dropProblem(
  dragged: readonly string[],
  target: DropTarget,
  place: { readonly currentFolder: string | null; readonly isDrive: boolean },
): string | null {
  if (dragged.length === 0) return 'Nothing is being dragged.'
  if (target.kind !== 'folder') return null
  if (target.id !== null && dragged.includes(target.id)) return 'A folder cannot go into itself.'
  if (place.isDrive && target.id === place.currentFolder) return 'It is already there.'
  return null
}

/** True for files or folders that come from outside the page. */
export function bringsFiles(transfer: { readonly types: readonly string[] } | null): boolean {
  return transfer?.types.includes('Files') === true && !transfer.types.includes(ROWS_TYPE)
}
