import { Skeleton } from '../../ui/Skeleton.tsx'
import { words } from './words.ts'

const LINES = [62, 48, 71, 55, 66]

export function ActivitySkeleton() {
  return (
    <div role="status" aria-label={words.loading}>
      {LINES.map((width) => (
        <div key={width} className="logitem">
          <Skeleton width={`${width}%`} className="my-1.25" />
          <Skeleton width={120} height={8} className="my-1" />
        </div>
      ))}
    </div>
  )
}
