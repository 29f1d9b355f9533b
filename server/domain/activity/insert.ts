import type pg from 'pg'
import { searchKey } from '../files/names.ts'
import type { ActivityEntry, Actor } from '../services/activity.ts'
import { emailKey } from '../users/emails.ts'
import type { ActorNames } from './actors.ts'

/** An entry on its way to the database. */
export type Recorded = {
  readonly id: string
  readonly at: Date
  readonly actor: Actor
  readonly entry: ActivityEntry
  /** All files that it is about. */
  readonly fileIds: readonly string[]
  /** All names that it stands for: what search looks in, beside those of the entry. */
  readonly names: readonly string[]
}

const LONGEST_NAME = 1_000
const LONGEST_SEARCH = 4_000

/** A user who is gone meanwhile has no log: the join leaves their entries out. */
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

/** Writes entries in one statement, with the names of their actors and of the folders they went into. */
export async function insertEntries(pool: pg.Pool, names: ActorNames, entries: readonly Recorded[]): Promise<void> {
  await names.learn(entries.flatMap(({ actor }) => (actor.kind === 'VIEWER' ? [actor.viewer] : [])))
  const folders = await folderNames(pool, entries)
  const claimed = await claimedUsers(pool, entries)
  const rows = entries.map((recorded) => ({
    ...rowOf(recorded, names, folders),
    user_id: userOf(recorded.actor, claimed),
  }))
  await pool.query({ ...INSERT, values: [JSON.stringify(rows)] })
}

/** Users by the addresses that somebody said to have. */
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

/** What PostgreSQL takes, and no more of it than one can read. */
function storable(text: string): string {
  return text.slice(0, LONGEST_NAME).replace(/[\0\p{Cs}]/gu, '')
}
