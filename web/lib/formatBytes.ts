/** Two decimals, as the language writes them. */
const written = (value: number): string =>
  (import.meta.env.VITE_LANGUAGE ?? 'en') === 'en'
    ? value.toFixed(2)
    : value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false })

const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB'] as const

/**
 * A size for people, base 1024: "0 Bytes", "312 Bytes", "1.50 KB". Two decimals from KB on; whole bytes have none. In a page from
 * right to left it keeps its own direction (LRI and PDI).
 */
export const formatBytes =
  import.meta.env.VITE_DIRECTION === 'rtl' ? (bytes: number) => `\u2066${sizeText(bytes)}\u2069` : sizeText

function sizeText(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes <= 0) return '0 Bytes'
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1)
  if (power <= 0) return `${Math.round(bytes)} Bytes`
  const value = bytes / 1024 ** power
  // 1,048,575 bytes would be "1024.00 KB": the next unit is used instead.
  if (value >= 1023.995 && power < UNITS.length - 1) return `${written(1)} ${UNITS[power + 1]}`
  return `${written(value)} ${UNITS[power]}`
}

const whole = new Intl.NumberFormat()

/** The exact number for tooltips: "1,536 bytes". */
export function formatExactBytes(bytes: number): string {
  return `${whole.format(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
}
