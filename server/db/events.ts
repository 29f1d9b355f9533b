import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { AccountsChanged, EventMap, Events, FilesChanged } from '../domain/events.ts'
import type { Logger } from '../lib/logger.ts'
import { addAndNotify, raiseFloor } from './changeLog.ts'
import { listen } from './listener.ts'
import type { DatabaseAddress } from './pool.ts'

export type Topic = keyof EventMap

/** An event with its topic and recipient. */
export type Envelope<Name extends Topic = Topic> = {
  [Each in Name]: { readonly topic: Each; readonly userId: string; readonly event: EventMap[Each] }
}[Name]

type EventsDeps = {
  readonly pool: pg.Pool
  readonly address: DatabaseAddress
  readonly logger: Logger
  /** Name of the listening connection in pg_stat_activity. */
  readonly name?: string
}

export type EventHub = Events & { close(): Promise<void> }

/** The unread messages of one reader. */
export type MessageQueue<Message> = AsyncIterableIterator<Message, undefined> & {
  /** Adds a message; ignored after the end. */
  put(message: Message): void
}

type MessageQueueOptions<Message> = {
  /** Ends the queue, also for a waiting reader. The reader ends it with `return`. */
  readonly signal: AbortSignal
  /** Merges two messages into one that covers both; called for the two newest when the queue is full. */
  combine(older: Message, newer: Message): Message
  /** Called once, at the end. */
  onEnd(): void
}

/** The subscribers of one topic in this process, by user. */
type Readers<Event> = {
  add(userId: string, signal: AbortSignal): MessageQueue<Event>
  deliver(userId: string, event: Event): void
  deliverToAll(event: Event): void
}

const CHANNEL = 'skypool_events'
/** Events are sent in batches at this interval (ms): NOTIFY takes a database-wide lock at commit, so it must be rare. */
const BATCH_MS = 20
/** PostgreSQL refuses payloads of 8,000 bytes or more; an id takes 39 bytes including quotes. */
const MAX_IDS = 180
const CAPACITY = 64

/** Names no files: a reader that receives it reloads what it shows. */
const EVERYTHING: FilesChanged = { fileIds: [], removedIds: [], parentIds: [], truncated: true }
const ALL_ACCOUNTS: AccountsChanged = { accountIds: null }

/** Events between all processes on one database, by LISTEN/NOTIFY. Resolves when it listens. */
export async function createEvents({ pool, address, logger, name = 'skypool-events' }: EventsDeps): Promise<EventHub> {
  const closing = new AbortController()
  const readers: { readonly [Name in Topic]: Readers<EventMap[Name]> } = {
    filesChanged: createReaders(COMBINE.filesChanged),
    uploadProgressed: createReaders(COMBINE.uploadProgressed),
    transferProgressed: createReaders(COMBINE.transferProgressed),
    fileJobProgressed: createReaders(COMBINE.fileJobProgressed),
    accountsChanged: createReaders(COMBINE.accountsChanged),
    accessChanged: createReaders(COMBINE.accessChanged),
    tagsChanged: createReaders(COMBINE.tagsChanged),
    uploadWanted: createReaders(COMBINE.uploadWanted),
    dutyDue: createReaders(COMBINE.dutyDue),
  }
  const deliver = <Name extends Topic>({ topic, userId, event }: Envelope<Name>) =>
    readers[topic].deliver(userId, event)
  /** Makes all subscribers reload what they show. */
  const reloadAll = () => {
    readers.filesChanged.deliverToAll(EVERYTHING)
    readers.accountsChanged.deliverToAll(ALL_ACCOUNTS)
    readers.accessChanged.deliverToAll({})
    readers.tagsChanged.deliverToAll({})
  }
  const sender = createSender(pool, logger, reloadAll)
  const listener = await listen({
    address,
    name,
    channel: CHANNEL,
    logger,
    onPayload: (payload) => deliver(fromPayload(payload)),
    onReconnected: reloadAll,
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
    await sleep(BATCH_MS)
    const envelopes = [...waiting.values()].map(fitting)
    waiting.clear()
    await addAndNotify(pool, CHANNEL, envelopes, envelopes.map(toPayload)).catch((error: unknown) => {
      logger.warn({ err: error }, 'Events could not be sent')
      lost = true
    })
    if (lost) await reportLoss()
  }

  /** Makes followers of the change log reload everything. Retried with each later batch until it succeeds. */
  async function reportLoss(): Promise<void> {
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
      addToBatch(waiting, envelope)
    },
    drain: () => sending,
  }
}

function createReaders<Event>(combine: (older: Event, newer: Event) => Event): Readers<Event> {
  const byUser = new Map<string, Set<MessageQueue<Event>>>()

  return {
    add(userId, signal) {
      const queues = byUser.get(userId) ?? new Set()
      const onEnd = () => {
        queues.delete(queue)
        if (queues.size === 0) byUser.delete(userId)
      }
      const queue = createMessageQueue<Event>({ signal, combine, onEnd })
      if (!signal.aborted) byUser.set(userId, queues.add(queue))
      return queue
    },
    deliver(userId, event) {
      for (const queue of byUser.get(userId) ?? []) queue.put(event)
    },
    deliverToAll(event) {
      for (const queues of byUser.values()) for (const queue of queues) queue.put(event)
    },
  }
}

/** A bounded queue with one reader. */
export function createMessageQueue<Message>({
  signal,
  combine,
  onEnd,
}: MessageQueueOptions<Message>): MessageQueue<Message> {
  const messages: Message[] = []
  let ended = false
  let wake = () => {}

  function end(): void {
    if (ended) return
    ended = true
    messages.length = 0
    signal.removeEventListener('abort', end)
    onEnd()
    wake()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()

  return {
    put(message) {
      if (ended) return
      const newest = messages.length >= CAPACITY ? messages.pop() : undefined
      messages.push(newest === undefined ? message : combine(newest, message))
      wake()
    },
    async next() {
      while (messages.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
      const message = messages.shift()
      return message === undefined ? { done: true, value: undefined } : { done: false, value: message }
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Adds an envelope to the waiting ones, merged with a waiting one for the same user and subject. */
function addToBatch(waiting: Map<string, Envelope>, envelope: Envelope): void {
  const key = `${envelope.topic} ${envelope.userId} ${subjectOf(envelope)}`
  const older = waiting.get(key)
  waiting.set(key, older ? merge(older, envelope) : envelope)
}

/** Progress reports are separate per upload, transfer or job; changes of files, accounts and access are merged per user. */
function subjectOf(envelope: Envelope): string {
  if (envelope.topic === 'uploadWanted') return `${envelope.event.uploadId} ${envelope.event.end}`
  if (envelope.topic === 'dutyDue') return envelope.event.duty
  if (envelope.topic === 'uploadProgressed') return envelope.event.uploadId
  if (envelope.topic === 'fileJobProgressed') return envelope.event.jobId
  return envelope.topic === 'transferProgressed' ? envelope.event.transferId : ''
}

function merge(older: Envelope, newer: Envelope): Envelope {
  if (older.topic === 'filesChanged' && newer.topic === 'filesChanged') {
    return { ...newer, event: COMBINE.filesChanged(older.event, newer.event) }
  }
  if (older.topic === 'accountsChanged' && newer.topic === 'accountsChanged') {
    return { ...newer, event: COMBINE.accountsChanged(older.event, newer.event) }
  }
  return newer
}

/** Merges two events of a topic into one that covers both; for progress reports the newer one. */
const COMBINE: { readonly [Name in Topic]: (older: EventMap[Name], newer: EventMap[Name]) => EventMap[Name] } = {
  filesChanged: (older, newer) =>
    bounded({
      fileIds: [...new Set([...older.fileIds, ...newer.fileIds])],
      removedIds: [...new Set([...older.removedIds, ...newer.removedIds])],
      parentIds: [...new Set([...older.parentIds, ...newer.parentIds])],
      truncated: older.truncated || newer.truncated,
    }),
  uploadProgressed: (_older, newer) => newer,
  transferProgressed: (_older, newer) => newer,
  fileJobProgressed: (_older, newer) => newer,
  accessChanged: (_older, newer) => newer,
  tagsChanged: (_older, newer) => newer,
  uploadWanted: (_older, newer) => newer,
  dutyDue: (_older, newer) => newer,
  accountsChanged: (older, newer) => {
    if (older.accountIds === null || newer.accountIds === null) return ALL_ACCOUNTS
    return boundedAccounts({ accountIds: [...new Set([...older.accountIds, ...newer.accountIds])] })
  },
}

/** The same envelope if it is short enough for a notification, else one that makes its readers reload. */
function fitting(envelope: Envelope): Envelope {
  if (envelope.topic === 'filesChanged') return { ...envelope, event: bounded(envelope.event) }
  if (envelope.topic === 'accountsChanged') return { ...envelope, event: boundedAccounts(envelope.event) }
  return envelope
}

/** The same event if it fits into a notification, else one that makes its readers reload. */
function bounded(event: FilesChanged): FilesChanged {
  const ids = event.fileIds.length + event.removedIds.length + event.parentIds.length
  return ids <= MAX_IDS ? event : EVERYTHING
}

function boundedAccounts(event: AccountsChanged): AccountsChanged {
  return event.accountIds === null || event.accountIds.length <= MAX_IDS ? event : ALL_ACCOUNTS
}

/** The text of a notification. */
function toPayload(envelope: Envelope): string {
  return JSON.stringify(envelope)
}

/** @throws SyntaxError for text that is not from toPayload */
function fromPayload(payload: string): Envelope {
  return JSON.parse(payload) as Envelope
}
