/** Milliseconds that a Retry-After asks to wait, in seconds or as a date (RFC 9110 10.2.3); null when it says nothing of use. */
export function retryAfterMs(value: string | null, now = Date.now()): number | null {
  if (value === null || value.trim() === '') return null
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}
