import { cx } from '../lib/cx.ts'
import { hueStyle } from './hue.ts'
import styles from './PoolBar.module.css'
import { describeSegment, type PoolSegment } from './poolText.ts'
import { Tooltip } from './Tooltip.tsx'

/** Unknown and unlimited capacities are drawn this wide. */
export const UNKNOWN_WIDTH = 300 * 1024 ** 3

type Props = {
  segments: readonly PoolSegment[]
  /** Height in pixels. */
  size?: 6 | 8 | 12 | 28
  /** The whole bar as text (describePool). */
  label: string
  /** Adds a tooltip with name, used, free and total to each segment. */
  detailed?: boolean
}

const HEIGHT = { 6: styles.height6, 8: '', 12: styles.height12, 28: styles.height28 }

/** The signature: one segment per account, as wide as its capacity; solid is used, striped reserved, tinted free. */
export function PoolBar({ segments, size = 8, label, detailed = false }: Props) {
  return (
    <div className={cx(styles.pool, HEIGHT[size])} role="img" aria-label={label}>
      {segments.map((segment) =>
        detailed ? (
          <Tooltip key={segment.id} text={describeSegment(segment)}>
            <Segment segment={segment} />
          </Tooltip>
        ) : (
          <Segment key={segment.id} segment={segment} />
        ),
      )}
    </div>
  )
}

const percent = (part: number, whole: number | null | undefined) =>
  `${whole ? Math.min((part / whole) * 100, 100) : 0}%`

const LOOK = { expired: styles.expired, ghost: styles.ghost, dim: styles.dim, unknown: styles.unknown }

function Segment({ segment }: { segment: PoolSegment }) {
  const { hue, usedBytes, reservedBytes = 0, totalBytes, state, isNew } = segment
  const look = state ?? (totalBytes == null ? 'unknown' : undefined)
  const style = hueStyle(hue, {
    '--u': percent(usedBytes, totalBytes),
    '--rsv': percent(reservedBytes, totalBytes),
    flexGrow: totalBytes ?? UNKNOWN_WIDTH,
  })
  return <span className={cx(styles.segment, look && LOOK[look], isNew && styles.isNew)} style={style} />
}

/** 20 x 8: one block per account that holds the file. Decorative: the name is next to it as text. */
export function PoolMini({ hues }: { hues: readonly number[] }) {
  return (
    <span className={styles.mini} aria-hidden>
      {hues.map((hue, index) => (
        <i key={index} style={hueStyle(hue)} />
      ))}
    </span>
  )
}
