import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Gathers what arrives within `windowMs` of a first value into one: a burst of events becomes one message.
 * Ends with the source, after what was gathered; ends the source when the reader leaves.
 */
export async function* coalesce<Value>(
  source: AsyncGenerator<Value, void>,
  windowMs: number,
  merge: (older: Value, newer: Value) => Value,
): AsyncGenerator<Value, void> {
  try {
    let next = source.next()
    for (;;) {
      const first = await next
      if (first.done) return
      let gathered = first.value
      next = source.next()
      for (const windowEnd = sleep(windowMs, null); ; next = source.next()) {
        const result = await Promise.race([next, windowEnd])
        if (!result || result.done) break
        gathered = merge(gathered, result.value)
      }
      yield gathered
    }
  } finally {
    await source.return()
  }
}
