import type { ReactNode } from 'react'
import { Skeleton } from '../../ui/Skeleton.tsx'
import styles from './Details.module.css'

export function DetailsSkeleton({ close }: { close: ReactNode }) {
  return (
    <>
      <header className={styles.head}>
        <Skeleton width={40} height={40} />
        <span className="grow grid gap-2">
          <Skeleton width="70%" />
          <Skeleton width="40%" height={8} />
        </span>
        {close}
      </header>
      <div className={`${styles.section} grid gap-4`}>
        <Skeleton width="45%" />
        <Skeleton height={8} />
        <Skeleton width="80%" height={8} />
      </div>
    </>
  )
}
