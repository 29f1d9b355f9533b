import { Upload } from 'lucide-react'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import floatingButtonStyles from '../../../ui/FloatingButton.module.css'
import { Icon } from '../../../ui/Icon.tsx'
import { useFileManager } from '../FilesContext.ts'
import { isEmpty } from '../selection/selection.ts'

/** The button that floats above the list on narrow screens; hidden during a selection, and where nothing can be added. */
export function UploadButton() {
  const { view, selection, folder } = useFileManager()
  const { openUploadDialog } = useTransfers()
  if (view === 'TRASH' || !isEmpty(selection) || folder?.canCreate === false) return null
  return (
    <button type="button" className={`${floatingButtonStyles.fab} only-m flex`} onClick={openUploadDialog}>
      <Icon icon={Upload} size={20} />
      Upload
    </button>
  )
}
