import type pg from 'pg'
import { isRefusal } from '../../db/pool.ts'
import { emailKey } from '../../lib/addresses.ts'
import { newId } from '../../lib/ids.ts'
import { searchKey } from '../files/tree/names.ts'
import type { Viewer } from '../viewer.ts'
import type { Action, ActivityEntry, ActivityLog, Actor } from './contract.ts'
import { type ActorNames, createActorNames } from './service.ts'

export type ActivityLogDeps = {
  readonly pool: pg.Pool
  /** Called with errors of writing, which no caller receives. */
  readonly onError: (error: unknown) => void
}

export type ActivityRecorder = ActivityLog & {
  /** Caches the names of their sessions and keys before those are deleted. */
  learn(viewers: readonly Viewer[]): Promise<void>
}

const GATHER_MS = 1_000
const RETRY_MS = 5_000
/** Entries per statement. */
const BATCH = 500
/** While the database is unavailable, at most this many entries wait: the oldest are dropped. */
const MOST_WAITING = 10_000

/**
 * Collects entries for a second and writes them in one statement; entries that could not be written because the
 * database is unavailable are retried.
 */
export function createActivityLog({ pool, onError }: ActivityLogDeps): ActivityRecorder {
  const names = createActorNames(pool)
  let waiting: Recorded[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function schedule(delay: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void flush()
    }, delay).unref()
  }

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const entries = gather(waiting)
    waiting = []
    while (entries.length > 0) {
      const batch = entries.splice(0, BATCH)
      const kept = await write(batch).catch((error: unknown) => {
        onError(error)
        return [...batch, ...entries]
      })
      if (kept.length === 0) continue
      waiting = [...kept, ...waiting]
      schedule(RETRY_MS)
      return
    }
  }

  /**
   * Resolves with the entries to retry. If PostgreSQL refuses a batch, entries are written one by one, and those that
   * it refuses are dropped.
   */
  async function write(batch: readonly Recorded[]): Promise<readonly Recorded[]> {
    try {
      await insertEntries(pool, names, batch)
    } catch (error) {
      if (!isRefusal(error)) throw error
      onError(error)
      if (batch.length > 1) for (const one of batch) await write([one])
    }
    return []
  }

  return {
    record(actor, entry) {
      const at = new Date()
      const id = newId(at.getTime())
      waiting.push({ id, at, actor, entry, fileIds: filesOf(entry), names: entry.names ?? [] })
      if (waiting.length > MOST_WAITING) {
        waiting.splice(0, MOST_WAITING / 10)
        onError(new Error('The activity log cannot be written: its oldest entries were dropped.'))
      }
      schedule(GATHER_MS)
    },
    flush,
    learn: (viewers) => names.learn(viewers),
  }
}

/** Actions done per file that users think of as one: "24 files were uploaded". */
const GATHERED: ReadonlySet<Action> = new Set<Action>(['FILE_UPLOADED'])
const MOST_NAMES = 100

/**
 * Merges uploads by the same actor into the same folder into one entry; all other entries stay separate, in their
 * order.
 */
function gather(entries: readonly Recorded[]): Recorded[] {
  const groups = new Map<string, Recorded[]>()
  for (const [index, recorded] of entries.entries()) {
    const { actor, entry } = recorded
    const key = GATHERED.has(entry.action) ? keyOf(actor, entry) : String(index)
    const group = groups.get(key)
    if (group) group.push(recorded)
    else groups.set(key, [recorded])
  }
  return [...groups.values()].flatMap(join)
}

function keyOf(actor: Actor, { action, intoFolderId = null }: ActivityEntry): string {
  const who = actor.kind === 'VIEWER' ? (actor.viewer.key?.id ?? actor.viewer.sessionId) : JSON.stringify(actor)
  return `${action} ${who} ${intoFolderId}`
}

/** Merges a whole group at once: merging one by one would copy all earlier ids each time. */
function join(group: readonly Recorded[]): Recorded | [] {
  const [first, ...more] = group
  const last = group.at(-1)
  if (!first || !last) return []
  if (more.length === 0) return first
  const names = more.flatMap(({ entry }) => entry.subject?.name ?? [])
  return {
    ...first,
    at: last.at,
    entry: { ...first.entry, count: group.reduce((sum, { entry }) => sum + (entry.count ?? 1), 0) },
    fileIds: group.flatMap(({ fileIds }) => fileIds),
    names: [...first.names, ...names.slice(0, Math.max(0, MOST_NAMES - first.names.length))],
  }
}

function filesOf({ fileIds, subject }: ActivityEntry): readonly string[] {
  return fileIds ?? (subject?.type === 'File' ? [subject.id] : [])
}

/** An entry that is waiting to be written. */
export type Recorded = {
  readonly id: string
  readonly at: Date
  readonly actor: Actor
  readonly entry: ActivityEntry
  /** Ids of all files concerned. */
  readonly fileIds: readonly string[]
  /** Names of all subjects, for search, in addition to those of the entry. */
  readonly names: readonly string[]
}

const LONGEST_NAME = 1_000
const LONGEST_SEARCH = 4_000

/** The join leaves out entries of users who have been deleted meanwhile. */
const INSERT = {
  name: 'insert-activities',
  text: `insert into activities (id, user_id, at, actor_kind, actor_id, actor_name, address, action,
      subject_type, subject_id, file_ids, subject_name, count, details, search_key)
    select a.id, u.id, a.at, a.actor_kind::"ActorKind", a.actor_id, a.actor_name, a.address, a.action,
      a.subject_type, a.subject_id, a.file_ids, a.subject_name, a.count, a.details, a.search_key
    from jsonb_to_recordset($1::jsonb) as a(id uuid, user_id uuid, at timestamptz, actor_kind text, actor_id uuid,
      actor_name text, address text, action text, subject_type text, subject_id uuid, file_ids uuid[], subject_name text,
      count int, details jsonb, search_key text)
    join users u on u.id = a.user_id
    on conflict (id) do nothing`,
}

const CLAIMED = { name: 'activity-claimed', text: 'select id, email_key from users where email_key = any($1::text[])' }

const FOLDER_NAMES = { name: 'activity-folders', text: 'select id, name from files where id = any($1::uuid[])' }

/** Writes entries in one statement, with the names of their actors and target folders. */
async function insertEntries(pool: pg.Pool, names: ActorNames, entries: readonly Recorded[]): Promise<void> {
  await names.learn(entries.flatMap(({ actor }) => (actor.kind === 'VIEWER' ? [actor.viewer] : [])))
  const folders = await folderNames(pool, entries)
  const claimed = await claimedUsers(pool, entries)
  const rows = entries.map((recorded) => ({
    ...rowOf(recorded, names, folders),
    user_id: userOf(recorded.actor, claimed),
  }))
  await pool.query({ ...INSERT, values: [JSON.stringify(rows)] })
}

/** Users by the addresses that were claimed. */
async function claimedUsers(pool: pg.Pool, entries: readonly Recorded[]): Promise<ReadonlyMap<string, string>> {
  const keys = entries.flatMap(({ actor }) => (actor.kind === 'CLAIMED' ? emailKey(actor.email) : []))
  if (keys.length === 0) return new Map()
  const { rows } = await pool.query<{ id: string; email_key: string }>({ ...CLAIMED, values: [keys] })
  return new Map(rows.map(({ id, email_key }) => [email_key, id]))
}

function userOf(actor: Actor, claimed: ReadonlyMap<string, string>): string | null {
  if (actor.kind === 'CLAIMED') return claimed.get(emailKey(actor.email)) ?? null
  return actor.kind === 'VIEWER' ? actor.viewer.userId : actor.userId
}

async function folderNames(pool: pg.Pool, entries: readonly Recorded[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(entries.flatMap(({ entry }) => entry.intoFolderId ?? []))]
  if (ids.length === 0) return new Map()
  const { rows } = await pool.query<{ id: string; name: string }>({ ...FOLDER_NAMES, values: [ids] })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function rowOf(
  { id, at, actor, entry, fileIds, names }: Recorded,
  actors: ActorNames,
  folders: ReadonlyMap<string, string>,
) {
  const { name, address, ...who } = actors.of(actor)
  const details = detailsOf(entry, folders)
  return {
    id,
    at,
    actor_kind: who.kind,
    actor_id: who.id,
    actor_name: storable(name),
    address: storable(address),
    action: entry.action,
    subject_type: entry.subject?.type ?? null,
    subject_id: entry.subject?.id ?? null,
    file_ids: fileIds,
    subject_name: storable(entry.subject?.name ?? ''),
    count: entry.count ?? 1,
    details,
    search_key: searchKey(
      [name, entry.subject?.name ?? '', ...Object.values(details), ...names]
        .map(storable)
        .join('\n')
        .slice(0, LONGEST_SEARCH),
    ),
  }
}

function detailsOf({ details = {}, intoFolderId }: ActivityEntry, folders: ReadonlyMap<string, string>) {
  const folder = intoFolderId ? folders.get(intoFolderId) : undefined
  const all = { ...details, ...(folder !== undefined && { folder }) }
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, storable(value)]))
}

/** Removes what PostgreSQL refuses, and limits the length. */
function storable(text: string): string {
  return text.slice(0, LONGEST_NAME).replace(/[\0\p{Cs}]/gu, '')
}
