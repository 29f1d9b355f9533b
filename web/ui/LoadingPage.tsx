import { sharedMessages } from '../lib/messages.ts'
import styles from './LoadingPage.module.css'

/** Fills its place while code or the session load. */
export function LoadingPage() {
  return (
    <div className={styles.loading} role="status">
      {sharedMessages.common.loading}
    </div>
  )
}
