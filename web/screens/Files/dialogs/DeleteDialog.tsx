import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useFileManager } from '../FilesContext.ts'
import { items, things } from '../messages.ts'
import { countOf, isWhole } from '../selection/selection.ts'

/** Asks before rows are deleted permanently. */
export function DeleteDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const { actions, list, selection } = useFileManager()
  const names = ids.map((id) => list.model.get(id)?.name ?? 'this item')
  const all = isWhole(selection, ids) ? countOf(selection) : undefined
  const what = all === undefined ? things(names) : all === null ? 'everything selected' : items(all)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${what} permanently?`}
      confirmLabel="Delete permanently"
      onConfirm={() => {
        onClose()
        void actions.deleteForever(ids)
      }}
    >
      {ids.length === 1 ? 'This cannot be undone.' : 'This cannot be undone.'}
    </ConfirmDialog>
  )
}

/** Asks before everything in the trash is deleted permanently. */
export function EmptyTrashDialog({ onClose }: { onClose: () => void }) {
  const { actions, list } = useFileManager()
  const count = `${items(list.model.count)}${list.model.hasNext ? ' and more' : ''}`
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Empty the trash (${count})?`}
      confirmLabel="Empty trash"
      onConfirm={() => {
        onClose()
        void actions.emptyTrash()
      }}
    >
      Everything in the trash is deleted permanently, including items hidden by a search or filter.
    </ConfirmDialog>
  )
}
