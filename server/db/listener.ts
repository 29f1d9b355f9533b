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
  /** How often the database is asked whether it is still there (ms); shorter in tests. */
  readonly askMs?: number
}

type PauseOptions = { readonly firstMs: number; readonly longestMs: number; readonly signal: AbortSignal }

/**
 * A connection that only listens sends nothing, so it would wait for ever for a database that vanished without a word, as behind a
 * firewall that forgets connections. An unanswered question breaks it: what was sent in the meantime is known to be lost then.
 */
const ASK_MS = 20_000
const CONNECT_MS = 10_000

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
      const connected = await connect(options, reconnect).catch((error: unknown) => {
        options.logger.warn({ err: error }, 'Not listening for events: the database does not answer')
        return null
      })
      if (!connected) continue
      client = connected
      // Closed in the meantime, when there was nothing to end.
      return closing.signal.aborted ? client.end() : options.onReconnected()
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
  { address, name, channel, onPayload, askMs = ASK_MS }: ListenerOptions,
  onBroken: () => void,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOf(address),
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: name,
  })
  client.on('error', () => {}) // handled by 'end', which follows
  client.on('notification', ({ payload = '' }) => onPayload(payload))
  await client.connect()
  breakWhenUnanswered(client, askMs)
  await client.query(`listen ${channel}`)
  client.once('end', onBroken)
  return client
}

function breakWhenUnanswered(client: pg.Client, everyMs: number): void {
  let isAsking = false
  const ask = () => {
    if (isAsking) return client.connection.stream.destroy()
    isAsking = true
    client.query('select').then(
      () => {
        isAsking = false
      },
      () => undefined,
    )
  }
  const asking = setInterval(ask, everyMs).unref()
  client.once('end', () => clearInterval(asking))
}

/** Exponential backoff: yields after each pause (doubling up to `longestMs`, with 10 % jitter either way); ends when the signal aborts. */
async function* pauses({ firstMs, longestMs, signal }: PauseOptions): AsyncGenerator<void> {
  for (let pause = firstMs; ; pause = Math.min(pause * 2, longestMs)) {
    const slept = await sleep(pause * (0.9 + Math.random() * 0.2), true, { signal, ref: false }).catch(() => false)
    if (!slept) return
    yield
  }
}
