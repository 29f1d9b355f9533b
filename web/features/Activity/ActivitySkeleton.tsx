import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Activity.module.css'
import { messages } from './messages.ts'

const LINES = [62, 48, 71, 55, 66]

export function ActivitySkeleton() {
  return (
    <div role="status" aria-label={messages.loading}>
      {LINES.map((width) => (
        <div key={width} className={styles.item}>
          <Skeleton width={`${width}%`} className="my-1.25" />
          <Skeleton width={120} height={8} className="my-1" />
        </div>
      ))}
    </div>
  )
}
