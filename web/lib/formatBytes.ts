const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** A size for people, base 1024: "0 Bytes", "312 Bytes", "1.50 KB". Two decimals from KB on; whole bytes have none. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes <= 0) return '0 Bytes'
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1)
  if (power <= 0) return `${Math.round(bytes)} Bytes`
  const rounded = (bytes / 1024 ** power).toFixed(2)
  // 1,048,575 bytes would be "1024.00 KB": the next unit is used instead.
  if (rounded === '1024.00' && power < UNITS.length - 1) return `1.00 ${UNITS[power + 1]}`
  return `${rounded} ${UNITS[power]}`
}

const whole = new Intl.NumberFormat()

/** The exact number for tooltips: "1,536 bytes". */
export function formatExactBytes(bytes: number): string {
  return `${whole.format(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
}
