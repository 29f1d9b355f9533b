import { graphql, useFragment } from 'react-relay'
import type { TypeBar_usage$key } from '../../__generated__/TypeBar_usage.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { TYPE_WORDS, words } from './words.ts'

/** Steps of the accent: hue would mean an account. */
const STEPS = [100, 72, 50, 32, 18]
const shade = (index: number) =>
  `color-mix(in oklab, var(--accent-text) ${STEPS[Math.min(index, STEPS.length - 1)]}%, var(--bg-strong))`

type Part = { readonly label: string; readonly bytes: number }

/** The largest types one by one, the others together. */
export function partsOf(usage: readonly { readonly category: string; readonly bytes: number }[]): Part[] {
  const label = (category: string) => TYPE_WORDS[category] ?? TYPE_WORDS.OTHER ?? category
  const named = usage
    .filter(({ category, bytes }) => category !== 'OTHER' && bytes > 0)
    .toSorted((left, right) => right.bytes - left.bytes)
  const shown = named.slice(0, STEPS.length - 1)
  const others = [...named.slice(STEPS.length - 1), ...usage.filter(({ category }) => category === 'OTHER')]
  const rest = others.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = shown.map(({ category, bytes }) => ({ label: label(category), bytes }))
  return rest > 0 ? [...parts, { label: label('OTHER'), bytes: rest }] : parts
}

/** What takes the space, by type. */
export function TypeBar({ usage }: { usage: TypeBar_usage$key }) {
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
  const parts = partsOf(rows)
  if (parts.length === 0) return null
  const text = parts.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(', ')
  return (
    <section className="card dtypes" aria-labelledby="space-by-type">
      <h2 className="h3" id="space-by-type">
        {words.types}
      </h2>
      <div className="pool p12" role="img" aria-label={words.typesLabel(text)}>
        {parts.map(({ label, bytes }, index) => (
          <span key={label} className="seg" style={style(index, bytes)} />
        ))}
      </div>
      <ul>
        {parts.map(({ label, bytes }, index) => (
          <li key={label} className="hstack meta">
            <span className="legendswatch" style={style(index, 0)} aria-hidden />
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
