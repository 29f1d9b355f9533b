import styles from './Duration.module.css'

/** The length of a film, at the lower right of its tile; nothing while it is not known. */
export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  if (ms == null) return null
  return (
    <span className={`${styles.duration} num`} data-testid="duration">
      <span aria-hidden>{formatDuration(ms)}</span>
      <span className="sr-only">{spokenDuration(ms)}</span>
    </span>
  )
}

/** `0:52`, `2:48`, `1:02:03`: as players write it. @param ms not negative */
export function formatDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms)
  const tail = String(seconds).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

/** The same for screen readers: `2 minutes 48 seconds`. */
export function spokenDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms)
  const parts = [
    hours > 0 && (hours === 1 ? '1 hour' : `${hours} hours`),
    minutes > 0 && (minutes === 1 ? '1 minute' : `${minutes} minutes`),
    seconds > 0 && (seconds === 1 ? '1 second' : `${seconds} seconds`),
  ]
  return parts.filter((part) => part !== false).join(' ') || '0 seconds'
}

function partsOf(ms: number) {
  const total = Math.round(ms / 1000)
  return { hours: Math.floor(total / 3600), minutes: Math.floor(total / 60) % 60, seconds: total % 60 }
}
