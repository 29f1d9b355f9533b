import pg from 'pg'
import { pauses } from '../lib/backoff.ts'
import type { Logger } from '../lib/logger.ts'
import { connectionOf, type DatabaseAddress } from './pool.ts'

export type ListenerOptions = {
  readonly address: DatabaseAddress
  /** What the connection is called in pg_stat_activity. */
  readonly name: string
  readonly channel: string
  readonly logger: Logger
  onPayload(payload: string): void
  /** After a broken connection: what was said meanwhile is lost. */
  onReconnected(): void
}

/** Listens on a channel over a connection of its own, and again whenever that breaks. Resolves when it listens. */
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
  client.on('error', () => {}) // 'end' follows, and is what counts
  client.on('notification', ({ payload = '' }) => onPayload(payload))
  await client.connect()
  await client.query(`listen ${channel}`)
  client.once('end', onBroken)
  return client
}
