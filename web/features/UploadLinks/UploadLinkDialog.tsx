import { Inbox } from 'lucide-react'
import accountMarkStyles from '../../ui/AccountMark.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { LinkDialog } from '../Share/LinkDialog.tsx'
import { messages } from './messages.ts'
import { UploadLinkDialogBody } from './UploadLinkDialogBody.tsx'
import styles from './UploadLinks.module.css'

type Props = { readonly folderId: string; readonly name: string; readonly onClose: () => void }

/** The upload links of a folder, and a new one. Import it lazily, like Dialog. */
export function UploadLinkDialog({ folderId, name, onClose }: Props) {
  const mark = (
    <span className={`${accountMarkStyles.mark} ${accountMarkStyles.size40} ${accountMarkStyles.off}`}>
      <Icon icon={Inbox} size={20} />
    </span>
  )
  const waiting = (
    <div className={styles.fields}>
      <Skeleton className={styles.whole} height={36} />
      <Skeleton className={styles.whole} height={60} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  )
  return (
    <LinkDialog title={messages.title} description={messages.intro} mark={mark} waiting={waiting} onClose={onClose}>
      {(body) => <UploadLinkDialogBody folderId={folderId} name={name} {...body} />}
    </LinkDialog>
  )
}
