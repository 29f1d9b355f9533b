import { Plug, Upload } from 'lucide-react'
import { Link } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { words } from './words.ts'

/** In place of the files while there are none. */
export function FirstRun() {
  const { openUploadDialog } = useTransfers()
  return (
    <section className="card">
      <EmptyState title={words.noFilesTitle} text={words.noFilesText}>
        <Link className={buttonClass('primary')} to="/cloud-integration?add">
          <Icon icon={Plug} />
          {words.addStorage}
        </Link>
        <Button icon={Upload} onClick={openUploadDialog}>
          {words.uploadFiles}
        </Button>
      </EmptyState>
    </section>
  )
}
