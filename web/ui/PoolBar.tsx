import { cx } from '../lib/cx.ts'
import { hueStyle } from './hue.ts'
import { describeSegment, type PoolSegment } from './poolText.ts'
import { Tooltip } from './Tooltip.tsx'

/** Unknown and unlimited capacities are drawn this wide. */
export const UNKNOWN_WIDTH = 300 * 1024 ** 3

type Props = {
  segments: readonly PoolSegment[]
  /** Height in pixels. */
  size?: 6 | 8 | 12 | 28
  /** The whole bar in words (describePool). */
  label: string
  /** Adds a tooltip with name, used, free and total to each segment. */
  detailed?: boolean
}

/** The signature: one segment per account, as wide as its capacity; solid is used, striped reserved, tinted free. */
export function PoolBar({ segments, size = 8, label, detailed = false }: Props) {
  return (
    <div className={cx('pool', size !== 8 && `p${size}`)} role="img" aria-label={label}>
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

function Segment({ segment }: { segment: PoolSegment }) {
  const { hue, usedBytes, reservedBytes = 0, totalBytes, state, isNew } = segment
  const look = state ?? (totalBytes == null ? 'unknown' : undefined)
  const style = hueStyle(hue, {
    '--u': percent(usedBytes, totalBytes),
    '--rsv': percent(reservedBytes, totalBytes),
    flexGrow: totalBytes ?? UNKNOWN_WIDTH,
  })
  return <span className={cx('seg', look, isNew && 'is-new')} style={style} />
}

/** 20 x 8: one block per account that holds the file. Decorative, its name in text stands beside it. */
export function PoolMini({ hues }: { hues: readonly number[] }) {
  return (
    <span className="poolmini" aria-hidden>
      {hues.map((hue, index) => (
        <i key={index} style={hueStyle(hue)} />
      ))}
    </span>
  )
}
