import { type RefObject, Suspense, useState } from 'react'
import { late } from '../../lib/lateCode.ts'
import { useFileManager } from './FilesContext.ts'
import { selectOnly } from './selection/selection.ts'

const PreviewOverlay = late(() =>
  import('../../features/Preview/PreviewOverlay.tsx').then((file) => file.PreviewOverlay),
)

const FileEditor = late(() => import('./FileEditor.tsx').then((file) => file.FileEditor))

/** The preview of the file in the URL, or the editor; the arrow keys go through the files of the list. */
export function Preview({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const { url, list, showPreview, closePreview, edit, setSelection, panels, actions } = useFileManager()
  const [renaming, setRenaming] = useState<string | null>(null)
  const id = url.edit ?? url.preview
  if (id === null) return null
  const at = list.model.indexOf(id)
  const close = () => {
    closePreview()
    setSelection(() => selectOnly(id))
    scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus()
  }
  if (url.edit !== null) {
    return (
      <Suspense>
        <FileEditor id={id} onClose={close} />
      </Suspense>
    )
  }
  const neighbour = (step: 1 | -1) => {
    if (at < 0) return null
    for (let index = at + step; index >= 0 && index < list.model.count; index += step) {
      const row = list.model.rowAt(index)
      if (row?.kind === 'FILE') return row.id
    }
    return null
  }
  return (
    <Suspense>
      <PreviewOverlay
        fileId={id}
        prevId={neighbour(-1)}
        nextId={neighbour(1)}
        onNavigate={showPreview}
        onDetails={(shown) => {
          closePreview()
          setSelection(() => selectOnly(shown))
          panels.setDetails(true)
        }}
        actions={{
          edit,
          share: (file) => panels.set({ dialog: { kind: 'share', ...file } }),
          star: (shown, isStarred) => void actions.star([shown], isStarred),
          rename: actions.rename,
          renaming,
          setRenaming,
        }}
        isCovered={panels.dialog !== null}
        onClose={close}
      />
    </Suspense>
  )
}
