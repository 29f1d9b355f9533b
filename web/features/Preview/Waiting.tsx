import { Skeleton } from '../../ui/Skeleton.tsx'
import { messages } from './messages.ts'
import styles from './Preview.module.css'

/** In the shape of what is to come: lines on paper. */
export function Waiting() {
  return (
    <div className={`${styles.paper} grid content-start gap-3 p-6`} role="status" aria-label={messages.loading}>
      {['60%', '85%', '70%', '40%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}
