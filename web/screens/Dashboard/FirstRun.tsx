import { Plug, Upload } from 'lucide-react'
import { Link } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { messages } from './messages.ts'

/** In place of the files while there are none. */
export function FirstRun() {
  const { openUploadDialog } = useTransfers()
  return (
    <section className={cardStyles.card}>
      <EmptyState title={messages.noFilesTitle} text={messages.noFilesText}>
        <Link className={buttonClass('primary')} to="/cloud-integration?add">
          <Icon icon={Plug} />
          {messages.addStorage}
        </Link>
        <Button icon={Upload} onClick={openUploadDialog}>
          {messages.uploadFiles}
        </Button>
      </EmptyState>
    </section>
  )
}
