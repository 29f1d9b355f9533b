import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PORT, prepareDirectories } from '../../../server/db/embedded/directories.ts'
import { createObjectStore } from '../../../server/storage/objectStore.ts'
import type { Bucket } from '../../setup/sharedStorage.ts'
import type { Client } from './client.ts'
import type { Entry } from './ledger.ts'

const READERS = 4

/** Downloads everything in the ledger. @returns a sentence for each file that is lost or altered */
export async function judgeFiles(client: Client, entries: readonly Entry[]): Promise<string[]> {
  const losses: string[] = []
  const waiting = [...entries]
  const read = async () => {
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      const found = await client.download(entry.id).catch((error: unknown) => String(error))
      if (typeof found === 'string') losses.push(`${entry.id}: ${found}`)
      else if (found.sha256 !== entry.sha256)
        losses.push(`${entry.id}: ${found.size} bytes, not the ${entry.size} sent`)
    }
  }
  await Promise.all(Array.from({ length: READERS }, read))
  return losses
}

/** Bytes in the store and in the counters that belong to nothing. */
export type Leftovers = {
  readonly staged: number
  readonly unreferenced: number
  readonly missing: number
  /** Accounts whose counters are not the sum of what they hold. */
  readonly miscounted: number
  /** Contents that no version refers to any more, and permanently deleted files whose content is still stored. */
  readonly orphaned: number
  /** How many bytes the accounts are charged for more or less than the files and their versions have. */
  readonly uncounted: number
}

/** Compares the folder and the rows of a server that has just started and swept, with its own database unless another is given. */
export async function countLeftovers(dataDir: string, connection?: pg.ClientConfig): Promise<Leftovers> {
  const store = await createObjectStore(dataDir)
  const stored: string[] = []
  for await (const id of store.listStored()) stored.push(id)
  const staged = readdirSync(join(dataDir, 'staging')).filter((name) => !name.startsWith('.'))
  return compare(stored, staged.length, connection ?? ownDatabase(dataDir))
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The same of a bucket, whose keys end with the id of their object. What belongs to no row is `unreferenced`, complete or not. */
export async function countBucketLeftovers(bucket: Bucket, connection: pg.ClientConfig): Promise<Leftovers> {
  const keys = new Map((await bucket.keys()).map((key) => [key.match(UUID)?.at(-1) ?? key, key]))
  const reported = async (id: string, namedBy: string): Promise<boolean> => {
    const key = keys.get(id) ?? id
    const found = await bucket.find(key)
    console.log(`${key}: ${found ?? 'only in the list of the bucket'}; named by: ${namedBy || 'nothing'}`)
    return found !== null
  }
  return compare([...keys.keys()], (await bucket.unfinished()).length, connection, reported)
}

function ownDatabase(dataDir: string): pg.ClientConfig {
  const { socket } = prepareDirectories(dataDir)
  return { host: socket, port: PORT, user: 'skypool', database: 'skypool' }
}

/** `reported` is called for each object that no piece of a file refers to: it logs the rows that do, and resolves with whether the object exists. */
async function compare(
  ids: readonly string[],
  staged: number,
  connection: pg.ClientConfig,
  reported: (id: string, namedBy: string) => Promise<boolean> = async () => true,
): Promise<Leftovers> {
  const stored = new Set(ids)
  const database = new pg.Client(connection)
  await database.connect()
  try {
    await untilPurged(database)
    const refs = (await database.query<{ object_ref: string }>(REFERENCES)).rows
    const referenced = new Set(refs.map((row) => row.object_ref))
    let unreferenced = 0
    for (const id of [...stored].filter((each) => !referenced.has(each))) {
      const { rows } = await database.query<{ name: string }>(NAMED_BY, [id])
      if (await reported(id, rows.map(({ name }) => name).join(', '))) unreferenced += 1
    }
    return {
      staged,
      unreferenced,
      missing: [...referenced].filter((id) => !stored.has(id)).length,
      miscounted: (await database.query(MISCOUNTED)).rowCount ?? 0,
      orphaned: (await database.query(ORPHANED)).rowCount ?? 0,
      uncounted: (await database.query<{ bytes: number }>(UNCOUNTED)).rows[0]?.bytes ?? 0,
    }
  } finally {
    await database.end()
  }
}

/** The rows other than pieces that refer to an object, each with its state as text. `$1`: the id of the object. */
const NAMED_BY = `select 'staged_objects ' || json_build_object('discarded', discarded, 'size', size, 'touched', touched_at) as name
    from staged_objects where id::text = $1
  union all select 'object_removals' from object_removals where object_ref = $1
  union all select 'files' from files where staged_ref = $1
  union all select 'uploads ' || json_build_object('resumable', resumable, 'size', size, 'received', received_bytes,
    'file', file_id, 'expires', expires_at) from uploads where id::text = $1`

const PURGED = 'select id from files where purged_at is not null'
const PURGED_WITHIN_MS = 300_000

/** Jobs remove the bytes of what was deleted permanently. What they do not remove in time is found as a leftover. */
async function untilPurged(database: pg.Client): Promise<void> {
  const deadline = Date.now() + PURGED_WITHIN_MS
  while (Date.now() < deadline && (await database.query(`${PURGED} limit 1`)).rowCount) await sleep(200)
}

const ORPHANED = `${PURGED} union all select id from files f
  where is_version and not exists (select from file_versions where content_id = f.id)`

/** Every content is in one copy. */
const UNCOUNTED = `select abs((select coalesce(sum(used_bytes), 0) from accounts)
  - (select coalesce(sum(size), 0) from files where kind = 'FILE' and account_id is null and purged_at is null))::float8 as bytes`

const REFERENCES = 'select object_ref from pieces where object_ref is not null'

/** What is planned and what uploads hold back is reserved, what is stored is used. */
const MISCOUNTED = `select from accounts a where
  used_bytes <> (select coalesce(sum(size), 0) from pieces where account_id = a.id and state = 'STORED') or
  reserved_bytes <> (select coalesce(sum(size), 0) from pieces where account_id = a.id and state = 'PLANNED')
    + (select coalesce(sum(bytes), 0) from upload_reservations where account_id = a.id)`
