import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import type { AccountsChanged, EventMap, Events, FilesChanged } from '../domain/events.ts'
import type { Logger } from '../lib/logger.ts'
import { listen } from './listener.ts'
import type { DatabaseAddress } from './pool.ts'

type Topic = keyof EventMap

/** An event with its topic and recipient. */
type Envelope<Name extends Topic = Topic> = {
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

/** Topics that are stored. Progress reports are only valid for a moment. */
const KEPT = ['filesChanged', 'tagsChanged', 'accountsChanged', 'accessChanged'] as const
export type KeptTopic = (typeof KEPT)[number]

/** One change of one user. `position` is a decimal number that increases in commit order. */
export type LoggedChange = {
  [Name in KeptTopic]: {
    readonly position: string
    readonly topic: Name
    readonly event: EventMap[Name]
    readonly at: Date
  }
}[KeptTopic]

/** Retention: readers that were away longer must reload everything. */
const RETENTION = '7 days'
/** Lock taken before a position is assigned and held until the commit, so that positions become visible in order. */
const IN_TURN = `turn as materialized (select pg_advisory_xact_lock(${0x5b31}))`

const ADD_AND_NOTIFY = `with ${IN_TURN},
  given as (select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as i(user_id, topic, event, number)),
  added as (insert into changes (user_id, topic, event)
    select g.user_id, g.topic, g.event::jsonb from given g join users u on u.id = g.user_id cross join turn order by g.number)
  select pg_notify($4, payload) from unnest($5::text[]) payload`

/** Sends notifications and stores the events of stored topics, in one statement. */
export async function addAndNotify(
  pool: Pool,
  channel: string,
  envelopes: readonly Envelope[],
  payloads: readonly string[],
): Promise<void> {
  const kept = envelopes.filter(({ topic }) => isKept(topic))
  if (kept.length === 0) {
    await pool.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [channel, payloads])
    return
  }
  const values = [
    kept.map(({ userId }) => userId),
    kept.map(({ topic }) => topic),
    kept.map(({ event }) => JSON.stringify(event)),
    channel,
    payloads,
  ]
  await pool.query({ name: 'changes-add', text: ADD_AND_NOTIFY, values })
}

function isKept(topic: Topic): topic is KeptTopic {
  return (KEPT as readonly Topic[]).includes(topic)
}

/**
 * Marks all positions up to now as incomplete, so that readers at them reload everything. For events that may have been lost, because
 * a server stopped before it sent them or a statement failed.
 */
export async function raiseFloor(sql: Pick<ClientBase, 'query'>): Promise<void> {
  await sql.query(
    `with ${IN_TURN} update change_floor set position = nextval('changes_position_seq') from turn where id = 1`,
  )
}

/** @returns the current position: everything committed so far is at or below it */
export async function lastPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>(
    `select greatest(f.position, (select max(position) from changes))::text as position from change_floor f where f.id = 1`,
  )
  return rows[0]?.position ?? '0'
}

/** Between the first query of a page and its subscription, on a slow line. */
const RECENT = '30 seconds'

/** @returns a position before the changes of a user in the last 30 seconds, or the current one if there are none */
export async function recentPosition(pool: Pool, userId: string): Promise<string> {
  const last = await lastPosition(pool)
  // Not min() of the table: PostgreSQL would search the user's whole log for it, from its beginning.
  const { rows } = await pool.query<{ position: string | null }>(
    `with recent as materialized (select position from changes where user_id = $1 and at > now() - interval '${RECENT}')
     select greatest(min(r.position) - 1, f.position)::text as position from change_floor f left join recent r on true
     where f.id = 1 group by f.position having count(r.position) > 0`,
    [userId],
  )
  return rows[0]?.position ?? last
}

const READ = {
  name: 'changes-read',
  // Ordered by the column, not by the text of the same name.
  text: `select c.position::text as position, c.topic, c.event, c.at from changes c
    where c.user_id = $1 and c.position > $2::bigint order by c.position limit $3`,
}

/**
 * The changes of a user after a position, oldest first, at most `limit`.
 * @returns null when some may be missing because the position is older than the stored changes
 */
export async function readChanges(
  pool: Pool,
  userId: string,
  after: string,
  limit: number,
): Promise<LoggedChange[] | null> {
  const { rows } = await pool.query<LoggedChange>({ ...READ, values: [userId, after, limit] })
  // Checked after reading, so that changes deleted before the read are noticed.
  const floor = await pool.query<{ missed: boolean }>(
    'select position > $1::bigint as missed from change_floor where id = 1',
    [after],
  )
  return floor.rows[0]?.missed === false ? rows : null
}

/** Deletes changes older than a week. */
export async function forgetChanges(pool: Pool): Promise<void> {
  await pool.query(
    `with old as (select max(position) as position from changes where at < now() - interval '${RETENTION}')
     update change_floor f set position = greatest(f.position, old.position) from old where f.id = 1 and old.position is not null`,
  )
  await pool.query(
    `delete from changes c using change_floor f where c.position <= f.position and c.at < now() - interval '${RETENTION}'`,
  )
}
