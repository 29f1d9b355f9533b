import { HeldNotice } from '../../../features/Connect/HeldNotice.tsx'
import { useFileManager } from '../FilesContext.ts'
import styles from './List.module.css'

/** Above the list: of the account that it shows a part of, and at the root of every account. Import it lazily. */
export function HeldNotices() {
  const { view, folder, accounts } = useFileManager()
  if (view !== 'DRIVE') return null
  return accounts.map(
    ({ id, name, index }) =>
      index &&
      index.heldDeletions > 0 &&
      (folder === null || folder.accountId === id) && (
        <div key={id} className={styles.notice}>
          <HeldNotice accountId={id} name={name} count={index.heldDeletions} />
        </div>
      ),
  )
}
