const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB'] as const
const BASE = 1024

/** A size for people: base 1024, at most two decimals ("1.5 GB"), as everywhere in the product. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(BASE)), UNITS.length - 1)
  return `${Number((bytes / BASE ** power).toFixed(2))} ${UNITS[power]}`
}
