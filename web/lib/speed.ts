/** Seconds after which a change of pace has reached about two thirds of the figure shown. */
const SMOOTHING_SECONDS = 4

/** One reading of a running total. `perSecond` is null until two readings have been taken. */
export type Speed = {
  readonly bytes: number
  readonly atMs: number
  readonly perSecond: number | null
}

/**
 * The next reading: an exponentially weighted mean, so that the figure neither jumps with every chunk nor hides a
 * stall. A total that shrank (an upload was cancelled or restarted) counts as no progress.
 */
export function advanceSpeed(last: Speed | null, bytes: number, atMs: number): Speed {
  if (!last) return { bytes, atMs, perSecond: null }
  const seconds = (atMs - last.atMs) / 1000
  if (seconds <= 0) return last
  const now = Math.max(0, bytes - last.bytes) / seconds
  if (last.perSecond === null) return { bytes, atMs, perSecond: now }
  const weight = 1 - Math.exp(-seconds / SMOOTHING_SECONDS)
  return { bytes, atMs, perSecond: last.perSecond + weight * (now - last.perSecond) }
}

/** Whole seconds until `bytesLeft` are sent at this speed; null when the speed is unknown or zero. */
export function secondsLeft(speed: Speed | null, bytesLeft: number): number | null {
  if (!speed?.perSecond || speed.perSecond < 1) return null
  return Math.ceil(bytesLeft / speed.perSecond)
}

/** "40 s", "2 min", "1 h 5 min"; two days and more are only "days". */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.round(hours / 24)} days`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
