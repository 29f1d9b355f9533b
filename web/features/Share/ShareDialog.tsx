import { Skeleton } from '../../ui/Skeleton.tsx'
import { DialogBody } from './DialogBody.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import { messages } from './messages.ts'
import styles from './ShareDialog.module.css'

type Props = { readonly fileId: string; readonly name: string; readonly onClose: () => void }

/** The links of a file or folder, and a new one. Import it lazily, like Dialog. */
export function ShareDialog({ fileId, name, onClose }: Props) {
  const waiting = (
    <div className={styles.terms}>
      <Skeleton className={styles.whole} height={36} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  )
  return (
    <LinkDialog title={messages.title(name)} description={messages.intro} waiting={waiting} onClose={onClose}>
      {(body) => <DialogBody fileId={fileId} {...body} />}
    </LinkDialog>
  )
}
