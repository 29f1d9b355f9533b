import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The memory of a buffer is free only when the garbage collector has run, and V8 lets 32 MiB of them wait for that. Transfers would fill
 * the caches of the processor with them, and the system would have to supply new pages all the time. After so many bytes the young ones
 * are collected instead, which takes less than a millisecond.
 */
const COLLECT_EVERY_BYTES = 12 * 1024 * 1024

let waiting = 0

/** Called for each buffer of a transfer by HTTP, with its length, when it is passed on. Collects the young garbage now and then. */
export function countGarbage(bytes: number): void {
  waiting += bytes
  if (waiting < COLLECT_EVERY_BYTES) return
  waiting = 0
  collectYoung()
}

/** V8's own function, which Node offers only to programs that were started with --expose-gc, or to contexts that are made after it. */
type Collector = (options: { readonly type: 'minor' }) => void
/** Null where it is missing: then V8 collects when it wants to, and nothing else changes. */
let collector: Collector | null | undefined

function collectYoung(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    collector = (runInNewContext('globalThis.gc') as Collector | undefined) ?? null
  }
  collector?.({ type: 'minor' })
}
