import { Trash2 } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useFileManager } from '../FilesContext.ts'

const EMPTY_TRASH = 'Empty trash'

/** In the trash: asks whether to delete everything in it. Import it lazily. */
export function EmptyTrashButton({ isNarrow = false }) {
  const { panels, list } = useFileManager()
  const act = {
    size: 'sm',
    icon: Trash2,
    disabled: list.model.count === 0,
    onClick: () => panels.set({ dialog: { kind: 'emptyTrash' } }),
  } as const
  if (isNarrow) return <IconButton label={EMPTY_TRASH} {...act} />
  return (
    <Button variant="danger" {...act}>
      {EMPTY_TRASH}
    </Button>
  )
}
