import { Suspense, useCallback } from 'react'
import { lateDialog } from '../../../ui/lateDialog.tsx'
import { useFileManager } from '../FilesContext.ts'

const OpenDialog = lateDialog(() => import('./OpenDialog.tsx').then((file) => file.OpenDialog))

/** The open dialog, if any. What is not shown at start is not loaded then. */
export function FilesDialogs() {
  const { panels } = useFileManager()
  const { set } = panels
  const onClose = useCallback(() => set({ dialog: null }), [set])
  return <Suspense>{panels.dialog && <OpenDialog onClose={onClose} />}</Suspense>
}
