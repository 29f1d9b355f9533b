import { lazy, Suspense } from 'react'
import { useFileManager } from '../FilesContext.ts'

const OpenDialog = lazy(() => import('./OpenDialog.tsx').then((file) => ({ default: file.OpenDialog })))

/** The open dialog, if any. What is not shown at start is not loaded then. */
export function FilesDialogs() {
  const { panels } = useFileManager()
  return <Suspense>{panels.dialog && <OpenDialog />}</Suspense>
}
