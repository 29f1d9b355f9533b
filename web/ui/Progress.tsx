import { cx } from '../lib/cx.ts'
import styles from './Progress.module.css'

type Props = {
  /** Kept between 0 and max. */
  value: number
  max?: number
  label: string
  tone?: 'active' | 'done' | 'failed'
  className?: string | undefined
}

const TONE = { active: '', done: styles.done, failed: styles.err }

const share = (value: number, max: number) => (max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0)

export function Progress({ value, max = 100, label, tone = 'active', className }: Props) {
  const percent = share(value, max) * 100
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      className={cx(styles.progress, TONE[tone], className)}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  )
}

const AROUND = 2 * Math.PI * 6

/** 16 px, for rows. */
export function ProgressRing({ value, max = 100, label }: Pick<Props, 'value' | 'max' | 'label'>) {
  const part = share(value, max)
  return (
    <svg className={styles.ring} viewBox="0 0 16 16" role="img" aria-label={`${label}: ${Math.round(part * 100)} %`}>
      <circle className={styles.track} cx="8" cy="8" r="6" />
      <circle className={styles.value} cx="8" cy="8" r="6" strokeDasharray={`${part * AROUND} ${AROUND}`} />
    </svg>
  )
}
