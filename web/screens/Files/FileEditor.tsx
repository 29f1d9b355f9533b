import { EditorOverlay } from '../../features/Editor/EditorOverlay.tsx'
import { useFileManager } from './FilesContext.ts'
import { selectOnly } from './selection/selection.ts'

/** The editor of the file in the URL. Import it lazily. */
export function FileEditor({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { closePreview, edit, setSelection, panels } = useFileManager()
  return (
    <EditorOverlay
      fileId={id}
      onClose={onClose}
      onOpen={edit}
      onVersions={() => {
        closePreview()
        setSelection(() => selectOnly(id))
        panels.setDetails(true, 'versions')
      }}
    />
  )
}
