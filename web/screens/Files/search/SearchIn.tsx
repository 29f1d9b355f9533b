import { cx } from '../../../lib/cx.ts'
import { useFileManager } from '../FilesContext.ts'
import styles from './Matches.module.css'
import { messages } from './messages.ts'

/** Chooses what a search looks at: names, or the text inside files. */
export function SearchIn() {
  const { url, setUrl } = useFileManager()
  const choice = (label: string, isInside: boolean) => (
    <button
      type="button"
      aria-pressed={url.isInside === isInside}
      className={cx(styles.choice)}
      onClick={() => setUrl({ isInside }, { replace: true })}
    >
      {label}
    </button>
  )
  return (
    <div className={styles.choices} role="group" aria-label={messages.searchIn}>
      {choice(messages.name, false)}
      {choice(messages.textInside, true)}
    </div>
  )
}
