import { graphql, useFragment } from 'react-relay'
import type { TypeBar_usage$key } from '../../__generated__/TypeBar_usage.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import cardStyles from '../../ui/Card.module.css'
import poolBarStyles from '../../ui/PoolBar.module.css'
import styles from './Dashboard.module.css'
import { messages, TYPE_NAMES } from './messages.ts'

/** Steps of the accent: hue would mean an account. */
const STEPS = [100, 72, 50, 32, 18]
const shade = (index: number) =>
  `color-mix(in oklab, var(--accent-text) ${STEPS[Math.min(index, STEPS.length - 1)]}%, var(--bg-strong))`

type Part = { readonly label: string; readonly bytes: number }

/** The largest types one by one, the others together. */
export function partsOf(usage: readonly { readonly category: string; readonly bytes: number }[]): Part[] {
  const label = (category: string) => TYPE_NAMES[category] ?? TYPE_NAMES.OTHER ?? category
  const named = usage
    .filter(({ category, bytes }) => category !== 'OTHER' && bytes > 0)
    .toSorted((left, right) => right.bytes - left.bytes)
  const shown = named.slice(0, STEPS.length - 1)
  const others = [...named.slice(STEPS.length - 1), ...usage.filter(({ category }) => category === 'OTHER')]
  const rest = others.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = shown.map(({ category, bytes }) => ({ label: label(category), bytes }))
  return rest > 0 ? [...parts, { label: label('OTHER'), bytes: rest }] : parts
}

type Props = {
  readonly usage: TypeBar_usage$key /** The size of all earlier versions. */
  readonly versionBytes: number
}

/** Used space by type, and what earlier versions of files take. */
export function TypeBar({ usage, versionBytes }: Props) {
  const rows = useFragment(
    graphql`
      fragment TypeBar_usage on CategoryUsage @relay(plural: true) {
        category
        files
        bytes
      }
    `,
    usage,
  )
  const parts = [...partsOf(rows), ...(versionBytes > 0 ? [{ label: messages.versions, bytes: versionBytes }] : [])]
  if (parts.length === 0) return null
  const text = parts.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(', ')
  return (
    <section className={`${cardStyles.card} ${styles.types}`} aria-labelledby="space-by-type">
      <h2 className="h3" id="space-by-type">
        {messages.types}
      </h2>
      <div
        className={`${poolBarStyles.pool} ${poolBarStyles.height12}`}
        role="img"
        aria-label={messages.typesLabel(text)}
      >
        {parts.map(({ label, bytes }, index) => (
          <span key={label} className={poolBarStyles.segment} style={style(index, bytes)} />
        ))}
      </div>
      <ul>
        {parts.map(({ label, bytes }, index) => (
          <li key={label} className="hstack meta">
            <span className={styles.swatch} style={style(index, 0)} aria-hidden />
            <span className="muted">{label}</span>
            <span className="num strong">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function style(index: number, bytes: number) {
  return { '--h': shade(index), '--u': '100%', flexGrow: bytes }
}
