import brandStyles from './Brand.module.css'

const BLOCKS: [x: number, y: number, width: number, opacity: number][] = [
  [1, 3, 10, 1],
  [12.5, 3, 6.5, 0.42],
  [1, 8.25, 5, 0.66],
  [7.5, 8.25, 11.5, 1],
  [1, 13.5, 13, 1],
  [15.5, 13.5, 3.5, 0.42],
]

/** Three pooled bars. Decorative: the name is next to it. */
export function Logo() {
  return (
    <svg className={brandStyles.logo} viewBox="0 0 20 20" aria-hidden>
      {BLOCKS.map(([x, y, width, opacity]) => (
        <rect key={`${x} ${y}`} {...{ x, y, width, opacity }} height={4} rx={1.2} fill="var(--accent-text)" />
      ))}
    </svg>
  )
}
