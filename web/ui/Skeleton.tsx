import { cx } from '../lib/cx.ts'
import styles from './Skeleton.module.css'

type Props = { width?: number | string; height?: number; className?: string | undefined }

/** A block in the shape of what comes. It appears only after 150 ms, so quick loads never flicker. */
export function Skeleton({ width = '100%', height = 10, className }: Props) {
  return (
    <span className={cx(styles.skeleton, className)} style={{ width, height }} data-testid="skeleton" aria-hidden />
  )
}
