import type pg from 'pg'
import type { PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../../db/pool.ts'
import { createContentHash, type HashAlgorithm } from '../../../lib/contentHash.ts'
import type { Call, Driver, Entry, EntryRef, IsNeeded, Page } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { type Enqueue, enqueueReconcile } from '../../jobs.ts'
import type { ChangeDeps } from '../tree/change.ts'
import type { Queryable } from '../tree/entries.ts'
import { publishStates, refreshStates, type StatesChanged } from './states.ts'

/** A stored object according to the database. */
export type StoredObject = {
  readonly pieceId: string
  readonly copyId: string
  readonly fileId: string
  readonly userId: string
  readonly ref: string
  readonly size: number
  /** `<algorithm>:<digest>`; null where the provider reports none. */
  readonly hash: string | null
  readonly path: string | null
  readonly missing: boolean
  readonly changed: boolean
  /** Its copy was read with wrong bytes, whatever its account reports. */
  readonly damaged: boolean
}

/** SAME: unchanged. OTHER: changed in the account. GONE: deleted, or in the provider's trash. */
export type Verdict = 'SAME' | 'OTHER' | 'GONE'

export type SeenObject = {
  readonly object: StoredObject
  readonly verdict: Verdict
  /** The ref and path from now on. */
  readonly ref: string
  readonly path: string | null
}

/** SQL: whether the piece `alias` has a mark that makes its copy unreadable. */
const flagged = (alias: string): string => `(${alias}.missing_since is not null or ${alias}.changed_at is not null)`

/** SQL: objects of complete copies on account $1. */
export const OBJECTS = `select p.id as "pieceId", c.id as "copyId", c.file_id as "fileId", f.user_id as "userId", p.object_ref as ref,
    p.size::float8 as size, p.hash, p.object_path as path, p.missing_since is not null as missing, p.changed_at is not null as changed,
    c.state = 'MISSING' and not exists (select from pieces o where o.copy_id = c.id and ${flagged('o')}) as damaged
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.account_id = $1 and p.state = 'STORED' and p.object_ref is not null and f.purged_at is null and c.state <> 'STORING'`

/**
 * Whether an object with this size and hash (lower-case hex) is the stored one. A hash that one side lacks is not
 * compared.
 */
export function isSame(
  stored: { readonly size: number | null; readonly hash: string | null },
  seen: { readonly size: number | null; readonly hash: string | null },
  algorithm: HashAlgorithm | null,
): boolean {
  if (stored.size !== null && stored.size !== seen.size) return false
  return stored.hash === null || seen.hash === null || stored.hash === `${algorithm}:${seen.hash}`
}

/** The hash of an object as its account returns it now (lower-case hex), in one read. @throws ProviderError */
export async function hashObject(
  driver: Driver,
  call: Call,
  { ref, size }: Pick<Entry, 'ref' | 'size'>,
  algorithm: HashAlgorithm,
): Promise<string> {
  const hash = createContentHash(algorithm)
  if (size === 0) return hash.digest()
  const { body } = await driver.get(call, ref)
  for await (const chunk of body as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest()
}

/** Files per transaction, and per job that follows. */
const FILES_AT_ONCE = 200

/**
 * Records what an account reported about its objects and updates states, repairs and events of the files in the same
 * transaction. Reports that match the rows change nothing, and neither do reports about an object that its piece no
 * longer has.
 */
export async function recordSeen(deps: ChangeDeps, seen: readonly SeenObject[]): Promise<void> {
  const byFile = new Map<string, SeenObject[]>()
  for (const one of seen.filter(isNews)) {
    const { fileId } = one.object
    byFile.set(fileId, [...(byFile.get(fileId) ?? []), one])
  }
  const fileIds = [...byFile.keys()].sort()
  for (let at = 0; at < fileIds.length; at += FILES_AT_ONCE) {
    const some = fileIds.slice(at, at + FILES_AT_ONCE)
    await recordFiles(
      deps,
      some,
      some.flatMap((id) => byFile.get(id) ?? []),
    )
  }
}

/** A damaged copy stays damaged; only a change in the account gives a better explanation. */
function isNews({ object, verdict, ref, path }: SeenObject): boolean {
  if (object.damaged && verdict !== 'OTHER') return false
  const moved = ref !== object.ref || path !== object.path
  return moved || (verdict === 'GONE') !== object.missing || (verdict === 'OTHER') !== object.changed
}

async function recordFiles(
  { pool, events, enqueue }: ChangeDeps,
  fileIds: readonly string[],
  seen: readonly SeenObject[],
): Promise<void> {
  const userIds = [...new Set(seen.map(({ object }) => object.userId))]
  const touched = await retryConflicts(() =>
    transaction(pool, async (tx) => {
      await tx.query('select from files where id = any($1::uuid[]) order by id for no key update', [fileIds])
      const changed = await writeSeen(tx, seen)
      if (changed.length === 0) return []
      for (const userId of userIds) {
        const own = seen.filter(({ object }) => object.userId === userId && changed.includes(object.fileId))
        await enqueueReconcile(tx, enqueue, { userId, fileIds: [...new Set(own.map(({ object }) => object.fileId))] })
      }
      await refreshStates(tx, { fileIds: changed })
      return changed
    }),
  )
  for (const userId of userIds) {
    const ids = touched.filter((id) => seen.some(({ object }) => object.fileId === id && object.userId === userId))
    if (ids.length > 0) {
      events.publish('filesChanged', userId, { fileIds: ids, removedIds: [], parentIds: [], truncated: false })
    }
  }
}

const LOCK_PIECES = `select p.id, ${flagged('p')} as flagged from pieces p where p.id = any($1::uuid[]) order by p.id for update`

const WRITE = `update pieces p set object_ref = s.ref, object_path = s.path,
    missing_since = case s.verdict when 'GONE' then coalesce(p.missing_since, now()) end,
    changed_at = case s.verdict when 'OTHER' then coalesce(p.changed_at, now()) end
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) as s(id, was, verdict, ref, path)
  where p.id = s.id and p.object_ref = s.was and p.state = 'STORED'
  returning p.id, p.copy_id as "copyId", s.verdict`

const LOSE = `update copies c set state = 'MISSING' where c.id = any($1::uuid[]) and c.state = 'STORED' returning c.file_id as "fileId"`

const HEAL = `update copies c set state = 'STORED' where c.id = any($1::uuid[]) and c.state = 'MISSING'
    and not exists (select from pieces p where p.copy_id = c.id and ${flagged('p')})
  returning c.file_id as "fileId"`

type Written = { readonly id: string; readonly copyId: string; readonly verdict: Verdict }

/** @returns ids of the files whose copies have changed, or the reason why one of them is unreadable */
async function writeSeen(tx: PoolClient, seen: readonly SeenObject[]): Promise<string[]> {
  const pieceIds = seen.map(({ object }) => object.pieceId)
  const before = await tx.query<{ id: string; flagged: boolean }>(LOCK_PIECES, [pieceIds])
  const wasFlagged = new Set(before.rows.filter(({ flagged }) => flagged).map(({ id }) => id))
  const { rows } = await tx.query<Written>(WRITE, [
    pieceIds,
    seen.map(({ object }) => object.ref),
    seen.map(({ verdict }) => verdict),
    seen.map(({ ref }) => ref),
    seen.map(({ path }) => path),
  ])
  const lost = rows.filter(({ verdict }) => verdict !== 'SAME')
  const back = rows.filter(({ id, verdict }) => verdict === 'SAME' && wasFlagged.has(id))
  const fileOf = new Map(seen.map(({ object }) => [object.pieceId, object.fileId]))
  await tx.query(LOSE, [lost.map(({ copyId }) => copyId)])
  await tx.query(HEAL, [back.map(({ copyId }) => copyId)])
  return [...new Set([...lost, ...back].flatMap(({ id }) => fileOf.get(id) ?? []))].sort()
}

/** The account's report on an object, by size and hash: unchanged, another one, or missing. */
export type Inspection = 'SAME' | 'OTHER' | 'NOTHING'

/**
 * Queries the metadata without reading the object.
 * @throws ProviderError when the account does not answer, and the call's reason
 */
export async function inspectObject(
  driver: Driver,
  call: Call,
  { ref, size, hash }: Pick<StoredObject, 'ref' | 'size' | 'hash'>,
): Promise<Inspection> {
  try {
    // Only refs that this driver has issued are stored.
    const seen = await driver.stat(call, ref as EntryRef)
    return isSame({ size, hash }, seen, driver.capabilities.hash) ? 'SAME' : 'OTHER'
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'NotFound') return 'NOTHING'
    throw error
  }
}

/**
 * Delays in seconds before an object that was not found is checked again. Services may list objects late, or not for a
 * while.
 */
const LOOK_AFTER_SECONDS = [60, 300, 1_800, 10_800] as const

export type OwnedFile = { readonly id: string; readonly userId: string }

/** Nothing is recorded for a damaged copy: its pieces no longer matter. */
const NOTE = `update pieces p set missing_since = now() from copies c
  where p.id = $1 and p.state = 'STORED' and p.missing_since is null and c.id = p.copy_id and (c.state = 'STORED'
    or exists (select from pieces o where o.copy_id = c.id and o.missing_since is not null)) returning p.id`

/** The account reported no such object; this has no effect until it is checked again a minute later. */
export async function markUnseen({ pool, enqueue }: ChangeDeps, pieceId: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(NOTE, [pieceId])
    if (rowCount === 1) await enqueueCheck(tx, enqueue, { pieceId, look: 0 })
  })
}

/** Queues the check of that number; after the last one only readers check. */
export async function enqueueCheck(
  tx: PoolClient,
  enqueue: Enqueue,
  input: { readonly pieceId: string; readonly look: number },
): Promise<void> {
  const delaySeconds = LOOK_AFTER_SECONDS[input.look]
  if (delaySeconds === undefined) return
  await enqueue(tx, 'seekObject', input, { key: `seek ${input.pieceId}`, delaySeconds })
}

const FORGET = `update pieces set missing_since = null where id = $1 and missing_since is not null returning copy_id`
const HEAL_COPY = `update copies c set state = 'STORED' where id = $1 and state = 'MISSING'
  and not exists (select from pieces p where p.copy_id = c.id and p.missing_since is not null)`

/** The object exists: a copy that was lost because of it counts again. */
export async function markSeen(deps: ChangeDeps, file: OwnedFile, pieceId: string): Promise<void> {
  await changeFile(deps, file, async (tx) => {
    const { rows } = await tx.query<{ copy_id: string }>(FORGET, [pieceId])
    const [found] = rows
    return found !== undefined && (await tx.query(HEAL_COPY, [found.copy_id])).rowCount === 1
  })
}

/** By the database's clock, so that all servers agree. */
const LOSE_COPY = `update copies c set state = 'MISSING' from pieces p
  where p.id = $1 and c.id = p.copy_id and c.state = 'STORED' and p.missing_since <= now() - interval '60 seconds'`

/** The object was missing for a minute: the copy counts as lost until the object is found again. */
export async function markLost(deps: ChangeDeps, file: OwnedFile, pieceId: string): Promise<void> {
  await changeFile(deps, file, async (tx) => (await tx.query(LOSE_COPY, [pieceId])).rowCount === 1)
}

/** `work` returns whether a copy has changed; then the state and repair of its file are updated. */
export async function changeFile(
  { pool, events, enqueue }: ChangeDeps,
  { id, userId }: OwnedFile,
  work: (tx: PoolClient) => Promise<boolean>,
): Promise<void> {
  const changes = await transaction(pool, async (tx): Promise<StatesChanged[]> => {
    await tx.query('select from files where id = $1 for no key update', [id])
    if (!(await work(tx))) return []
    await enqueueReconcile(tx, enqueue, { userId, fileIds: [id] })
    return refreshStates(tx, { fileIds: [id] })
  })
  publishStates(events, changes)
}

/** Whether a piece is stored as this object of the account. */
export function isReferredTo(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = 'select from pieces where account_id = $1 and object_ref = $2 limit 1'
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/**
 * Whether a piece is stored as this object of the account, or its removal is queued: then no other piece may use it.
 */
export function isTaken(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = `select from pieces where account_id = $1 and object_ref = $2
      union all select from object_removals where account_id = $1 and object_ref = $2 limit 1`
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/**
 * Whether an account's own files show an object, other than as the file `own`: then what has stored something equal must not delete it. It
 * can be what another upload or job has stored, or the user.
 */
export function isShown(pool: pg.Pool, accountId: string, own: string | null): IsNeeded {
  return async (ref) => {
    const text = `select from account_entries where account_id = $1 and ref = $2 and gone_at is null and file_id is distinct from $3::uuid`
    return (await pool.query(text, [accountId, ref, own])).rowCount === 1
  }
}

/**
 * Whether an object that an account's own files show is something else than what a file or job with the id `since` has stored, as the
 * file `own` or as one that the index knows only from the account: it was there before, or another upload or job has stored it. Ids are
 * ordered by time.
 */
export function isShownBefore(
  sql: Queryable,
  accountId: string,
  { since, own }: { readonly since: string; readonly own: string | null },
): IsNeeded {
  return async (ref) => {
    const text = `select from account_entries e join files f on f.id = e.file_id
      where e.account_id = $1 and e.ref = $2 and e.gone_at is null and e.file_id is distinct from $4::uuid
        and (e.file_id < $3 or exists (select from transfers t where t.file_id = e.file_id)
          or exists (select from file_jobs j join file_job_items i on i.job_id = j.id where j.user_id = f.user_id and i.made_id = e.file_id))`
    return (await sql.query(text, [accountId, ref, since, own])).rowCount === 1
  }
}

/** The object of a file that is looked for by name. */
type Sought = {
  readonly accountId: string
  /** The folder with such objects; null while it is not known. */
  readonly folderRef: string | null
  readonly size: number | null
  readonly hash: string | null
  /** Of the file's content, in hex. */
  readonly sha256: string | null
  readonly names: ReadonlySet<string>
}

/**
 * The object of a file under one of the names. Where references are paths, a rename changes the reference, which is not stored if the
 * response was lost or the server stopped. The content is compared, because the user can have another file with that name.
 */
export async function findRenamed(pool: pg.Pool, driver: Driver, sought: Sought, call: Call): Promise<Entry | null> {
  const { accountId, folderRef, names, sha256 } = sought
  if (!driver.capabilities.pathRefs || folderRef === null || sha256 === null) return null
  const isReferred = isTaken(pool, accountId)
  let cursor: string | null = null
  do {
    const page: Page<Entry> = await driver.list(call, folderRef as EntryRef, cursor)
    for (const entry of page.items) {
      const isCandidate =
        names.has(entry.name) && entry.kind === 'file' && isSame(sought, entry, driver.capabilities.hash)
      if (!isCandidate || (await isReferred(entry.ref))) continue
      if ((await hashObject(driver, call, entry, 'sha256')) === sha256) return entry
    }
    cursor = page.cursor
  } while (cursor !== null)
  return null
}
