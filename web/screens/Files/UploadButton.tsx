import { Upload } from 'lucide-react'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useFileManager } from './FilesContext.ts'
import { isEmpty } from './selection.ts'

/** The button that floats above the list on narrow screens; it makes way for the selection. */
export function UploadButton() {
  const { view, selection } = useFileManager()
  const { openUploadDialog } = useTransfers()
  if (view === 'TRASH' || !isEmpty(selection)) return null
  return (
    <button type="button" className="fab only-m flex" onClick={openUploadDialog}>
      <Icon icon={Upload} size={20} />
      Upload
    </button>
  )
}
