import { formatDuration, spokenDuration } from '../lib/formatDuration.ts'
import styles from './Duration.module.css'

/** The length of a film, at the lower right of its tile; nothing while it is not known. */
export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  if (ms == null) return null
  return (
    <span className={`${styles.duration} num`} data-testid="duration">
      <span aria-hidden>{formatDuration(ms)}</span>
      <span className="sr-only">{spokenDuration(ms)}</span>
    </span>
  )
}
