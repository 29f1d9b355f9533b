import { cx } from '../lib/cx.ts'

type Props = { width?: number | string; height?: number; className?: string }

/** A block in the shape of what comes. It appears only after 150 ms, so quick loads never flicker. */
export function Skeleton({ width = '100%', height = 10, className }: Props) {
  return <span className={cx('sk', className)} style={{ width, height }} aria-hidden />
}
