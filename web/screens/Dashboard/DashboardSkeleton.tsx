import cardStyles from '../../ui/Card.module.css'
import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'

const ROWS = [58, 44, 66, 38, 52, 47]
const LINES = [80, 62, 74, 55]

/** The skeleton of the page. */
export function DashboardSkeleton() {
  return (
    <div role="status" aria-label={messages.loading}>
      <div className={styles.hero}>
        <Skeleton width={220} height={28} className="my-1.5" />
      </div>
      <Skeleton height={28} className="mt-4" />
      <div className={styles.legend}>
        {LINES.map((width) => (
          <span key={width}>
            <Skeleton width={`${width}%`} className="my-1.25" />
            <Skeleton width="50%" height={8} className="my-1" />
          </span>
        ))}
      </div>
      <div className={styles.grid}>
        <div className={cardStyles.card}>
          <div className={styles.head}>
            <Skeleton width={96} className="my-1.25" />
          </div>
          {ROWS.map((width) => (
            <div key={width} className={styles.row}>
              <Skeleton width={20} height={20} />
              <Skeleton width={`${width}%`} />
            </div>
          ))}
        </div>
        <div className={cardStyles.card}>
          <div className={styles.head}>
            <Skeleton width={110} className="my-1.25" />
          </div>
          {LINES.map((width) => (
            <div key={width} className={styles.attention}>
              <Skeleton width={`${width}%`} className="my-1" />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
