import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { EventMap, Events } from '../domain/events.ts'
import type { Logger } from '../lib/logger.ts'
import { addAndNotify, raiseFloor } from './changeLog.ts'
import {
  ALL_ACCOUNTS,
  COMBINE,
  type Envelope,
  EVERYTHING,
  fitting,
  fromPayload,
  gather,
  type Topic,
  toPayload,
} from './eventPayloads.ts'
import { listen } from './listener.ts'
import type { DatabaseAddress } from './pool.ts'
import { createReaders, type Readers } from './readers.ts'

const CHANNEL = 'skypool_events'
/** A burst of events goes out at once: NOTIFY takes a lock over all commits of the database, so it must stay rare. */
const GATHER_MS = 20

export type EventsDeps = {
  readonly pool: pg.Pool
  readonly address: DatabaseAddress
  readonly logger: Logger
  /** What the connection that listens is called in pg_stat_activity. */
  readonly name?: string
}
export type EventHub = Events & { close(): Promise<void> }

/** Events between all processes on one database, by LISTEN/NOTIFY. Resolves when it listens. */
export async function createEvents({ pool, address, logger, name = 'skypool-events' }: EventsDeps): Promise<EventHub> {
  const closing = new AbortController()
  const readers: { readonly [Name in Topic]: Readers<EventMap[Name]> } = {
    filesChanged: createReaders(COMBINE.filesChanged),
    uploadProgressed: createReaders(COMBINE.uploadProgressed),
    transferProgressed: createReaders(COMBINE.transferProgressed),
    accountsChanged: createReaders(COMBINE.accountsChanged),
    accessChanged: createReaders(COMBINE.accessChanged),
    uploadWanted: createReaders(COMBINE.uploadWanted),
  }
  const deliver = <Name extends Topic>({ topic, userId, event }: Envelope<Name>) =>
    readers[topic].deliver(userId, event)
  /** Everybody reads again what they show. */
  const wakeAll = () => {
    readers.filesChanged.deliverToAll(EVERYTHING)
    readers.accountsChanged.deliverToAll(ALL_ACCOUNTS)
    readers.accessChanged.deliverToAll({})
  }
  const sender = createSender(pool, logger, wakeAll)
  const listener = await listen({
    address,
    name,
    channel: CHANNEL,
    logger,
    onPayload: (payload) => deliver(fromPayload(payload)),
    onReconnected: wakeAll,
  })
  return {
    publish: (topic, userId, event) => sender.send({ topic, userId, event } as Envelope),
    subscribe: (topic, userId, signal) => readers[topic].add(userId, AbortSignal.any([signal, closing.signal])),
    async close() {
      await sender.drain()
      closing.abort()
      await listener.close()
    },
  }
}

function createSender(pool: pg.Pool, logger: Logger, onLost: () => void) {
  let lost = false
  const waiting = new Map<string, Envelope>()
  let sending: Promise<void> = Promise.resolve()

  async function sendSoon(): Promise<void> {
    await sleep(GATHER_MS)
    const envelopes = [...waiting.values()].map(fitting)
    waiting.clear()
    await addAndNotify(pool, CHANNEL, envelopes, envelopes.map(toPayload)).catch((error: unknown) => {
      logger.warn({ err: error }, 'Events could not be sent')
      lost = true
    })
    if (lost) await admitLoss()
  }

  /** Whoever follows the changes has to read everything again. Tried with each later batch until the database takes it. */
  async function admitLoss(): Promise<void> {
    await raiseFloor(pool).then(
      () => {
        lost = false
        onLost()
      },
      () => undefined,
    )
  }
  return {
    send(envelope: Envelope) {
      if (waiting.size === 0) sending = sendSoon()
      gather(waiting, envelope)
    },
    drain: () => sending,
  }
}
