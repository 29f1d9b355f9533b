import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from './words.ts'

const ROWS = [58, 44, 66, 38, 52, 47]
const LINES = [80, 62, 74, 55]

/** The shape of what comes. */
export function DashboardSkeleton() {
  return (
    <div role="status" aria-label={words.loading}>
      <div className="dhero">
        <Skeleton width={220} height={28} className="my-1.5" />
      </div>
      <Skeleton height={28} className="mt-4" />
      <div className="dleg">
        {LINES.map((width) => (
          <span key={width}>
            <Skeleton width={`${width}%`} className="my-1.25" />
            <Skeleton width="50%" height={8} className="my-1" />
          </span>
        ))}
      </div>
      <div className="dgrid">
        <div className="card">
          <div className="dhead">
            <Skeleton width={96} className="my-1.25" />
          </div>
          {ROWS.map((width) => (
            <div key={width} className="drow">
              <Skeleton width={20} height={20} />
              <Skeleton width={`${width}%`} />
            </div>
          ))}
        </div>
        <div className="card">
          <div className="dhead">
            <Skeleton width={110} className="my-1.25" />
          </div>
          {LINES.map((width) => (
            <div key={width} className="dattn">
              <Skeleton width={`${width}%`} className="my-1" />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
