/** `0:52`, `2:48`, `1:02:03`: as players write it. @param ms not negative */
export function formatDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms)
  const tail = String(seconds).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

/** The same for screen readers: `2 minutes 48 seconds`. */
export function spokenDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms)
  const parts = [count(hours, 'hour'), count(minutes, 'minute'), count(seconds, 'second')].filter((part) => part !== '')
  return parts.join(' ') || '0 seconds'
}

function partsOf(ms: number) {
  const total = Math.round(ms / 1000)
  return { hours: Math.floor(total / 3600), minutes: Math.floor(total / 60) % 60, seconds: total % 60 }
}

const count = (value: number, unit: string) => (value === 0 ? '' : `${value} ${unit}${value === 1 ? '' : 's'}`)
