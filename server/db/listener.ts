import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../lib/logger.ts'
import { connectionOf, type DatabaseAddress } from './pool.ts'

type ListenerOptions = {
  readonly address: DatabaseAddress
  /** Name of the connection in pg_stat_activity. */
  readonly name: string
  readonly channel: string
  readonly logger: Logger
  onPayload(payload: string): void
  /** Called after a reconnect: notifications sent in between are lost. */
  onReconnected(): void
}

type PauseOptions = { readonly firstMs: number; readonly longestMs: number; readonly signal: AbortSignal }

/** Listens on a channel with a dedicated connection, and reconnects when it breaks. Resolves when it listens. */
export async function listen(options: ListenerOptions): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController()
  let client = await connect(options, reconnect)

  function reconnect(): void {
    if (!closing.signal.aborted)
      connectAgain().catch((error) => options.logger.error({ err: error }, 'Listening ended'))
  }
  async function connectAgain(): Promise<void> {
    for await (const _ of pauses({ firstMs: 100, longestMs: 5000, signal: closing.signal })) {
      try {
        client = await connect(options, reconnect)
        return options.onReconnected()
      } catch (error) {
        options.logger.warn({ err: error }, 'Not listening for events: the database does not answer')
      }
    }
  }
  return {
    async close() {
      closing.abort()
      await client.end()
    },
  }
}

async function connect(
  { address, name, channel, onPayload }: ListenerOptions,
  onBroken: () => void,
): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOf(address), keepAlive: true, application_name: name })
  client.on('error', () => {}) // handled by 'end', which follows
  client.on('notification', ({ payload = '' }) => onPayload(payload))
  await client.connect()
  await client.query(`listen ${channel}`)
  client.once('end', onBroken)
  return client
}

/** Exponential backoff: yields after each pause (doubling up to `longestMs`, with 10 % jitter either way); ends when the signal aborts. */
async function* pauses({ firstMs, longestMs, signal }: PauseOptions): AsyncGenerator<void> {
  for (let pause = firstMs; ; pause = Math.min(pause * 2, longestMs)) {
    const slept = await sleep(pause * (0.9 + Math.random() * 0.2), true, { signal, ref: false }).catch(() => false)
    if (!slept) return
    yield
  }
}
