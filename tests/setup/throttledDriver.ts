import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver } from '../../server/providers/driver.ts'

export type Throttle = {
  wrap(driver: Driver, accountId: string): Driver
  /** Bodies that are neither read to their end nor destroyed. */
  openBodies(): number
}

/** Every account sends so many bytes per second, all its downloads together. */
export function createThrottle(bytesPerSecond: number): Throttle {
  let open = 0

  function slowly(body: Readable, line: { freeAt: number }): Readable {
    async function* chunks(): AsyncGenerator<Buffer> {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const now = performance.now()
        // A line that was idle has saved nothing up but what its timers were late.
        line.freeAt = Math.max(line.freeAt, now - 20) + (chunk.length / bytesPerSecond) * 1000
        if (line.freeAt > now + 4) await sleep(line.freeAt - now)
        yield chunk
      }
    }
    open += 1
    const slow = Readable.from(chunks(), { objectMode: false, highWaterMark: 64 * 1024 })
    body.once('close', () => slow.destroyed || body.readableEnded || slow.destroy(body.errored ?? undefined))
    slow.once('close', () => {
      open -= 1
      body.destroy()
    })
    return slow
  }

  return {
    openBodies: () => open,
    wrap(driver) {
      const line = { freeAt: 0 }
      return {
        ...driver,
        async get(call, ref, range) {
          const { body } = await driver.get(call, ref, range)
          return { body: slowly(body, line) }
        },
      }
    },
  }
}
