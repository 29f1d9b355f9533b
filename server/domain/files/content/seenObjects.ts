import type { ClientBase, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../../db/pool.ts'
import { createContentHash, type HashAlgorithm } from '../../../lib/contentHash.ts'
import type { Encryption } from '../../../lib/encryption.ts'
import type { Call, Driver, Entry, EntryRef } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { type Enqueue, enqueueReconcile } from '../../jobs.ts'
import type { ChangeDeps } from '../tree/change.ts'
import type { Queryable } from '../tree/entries.ts'
import { presentSql, publishStates, refreshStates, type StatesChanged } from './states.ts'

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

/**
 * A driver's upload session, and the name of the object that it creates. The next attempt uses the same name, even if
 * the file was renamed: otherwise what the session has stored would not be found.
 */
export type SavedSession = {
  readonly name: string
  readonly session: string
  /** The object that the driver has returned, which is not verified yet. */
  readonly unverified?: Unverified
}
export type Unverified = {
  readonly ref: EntryRef
  readonly path: string | null
  readonly size: number | null
  /** `<algorithm>:<digest>` as the provider reported it; null where it reports none. */
  readonly hash: string | null
}

/** The encryption context of a session. */
function sessionContext(pieceId: string): string {
  return `pieces:${pieceId}`
}

/** As it is stored for a piece. */
export function encryptSession(encryption: Pick<Encryption, 'encrypt'>, pieceId: string, saved: SavedSession): string {
  return encryption.encrypt(JSON.stringify(saved), sessionContext(pieceId))
}

/** @throws EncryptionError */
export function openSession(
  encryption: Pick<Encryption, 'decrypt'>,
  { id, session }: { readonly id: string; readonly session: string | null },
): SavedSession | null {
  return session === null ? null : parseSession(encryption.decrypt(session, sessionContext(id)))
}

/** From a decrypted text. */
function parseSession(text: string): SavedSession {
  return JSON.parse(text) as SavedSession
}

/** The value of `object_removals.session`: a session can be decrypted only in the context that it was encrypted for. */
function removalSession(pieceId: string, encrypted: string): string {
  return `${sessionContext(pieceId)} ${encrypted}`
}

/** Decrypts such a value. @throws EncryptionError */
export function openRemovalSession(encryption: Pick<Encryption, 'decrypt'>, value: string): SavedSession {
  const [context = '', encrypted = ''] = value.split(' ')
  return parseSession(encryption.decrypt(encrypted, context))
}

/**
 * An object, or a started session, that nothing refers to any more. `pieceId`: the piece that the session was encrypted
 * for.
 */
export type Remnant = {
  readonly accountId: string
  readonly pieceId: string
  readonly objectRef: string | null
  /** Encrypted. */
  readonly session: string | null
  /** Size and hash of `objectRef` as stored: an object that differs when it is to be removed is kept. */
  readonly size: number | null
  readonly hash: string | null
}

/**
 * Deletes pieces in any state and frees their bytes; a job removes their objects and sessions at providers. The caller
 * has locked the accounts, and after its commit deletes the returned objects of this server's own storage.
 */
export async function dropPieces(tx: ClientBase, enqueue: Enqueue, pieceIds: readonly string[]): Promise<string[]> {
  if (pieceIds.length === 0) return []
  const { rows } = await tx.query<{ account_ids: string[]; local_refs: string[] }>({
    name: 'files drop pieces',
    text: DROP_PIECES,
    values: [pieceIds],
  })
  const [dropped] = rows
  if (!dropped) return []
  await enqueueRemovals(tx, enqueue, dropped.account_ids)
  return dropped.local_refs
}

/**
 * Bytes of a purged file were freed when it was purged. An adopted staging object is kept while the file refers to it.
 */
const DROP_PIECES = `with gone as (
    delete from pieces p using copies c, files f, accounts a
    where p.id = any($1::uuid[]) and c.id = p.copy_id and f.id = c.file_id and a.id = p.account_id
    returning p.id, p.account_id, p.size, p.state, p.object_ref, p.hash, p.session, p.renamed_to, a.provider,
      f.purged_at, f.sha256),
  freed as (select account_id, coalesce(sum(size) filter (where state = 'STORED'), 0)::bigint as used,
      coalesce(sum(size) filter (where state = 'PLANNED'), 0)::bigint as reserved
    from gone where purged_at is null group by account_id),
  paid as (update accounts a set used_bytes = greatest(a.used_bytes - f.used, 0), reserved_bytes = a.reserved_bytes - f.reserved
    from freed f where a.id = f.account_id),
  kept as (insert into object_removals (id, account_id, object_ref, size, hash, session, renamed_to, sha256)
    select gen_random_uuid(), account_id, object_ref, size, hash, 'pieces:' || id || ' ' || session, renamed_to, sha256 from gone
    where session is not null or provider <> 'local' and object_ref is not null returning account_id)
  select coalesce((select array_agg(distinct account_id)::text[] from kept), '{}') as account_ids,
    coalesce((select array_agg(distinct object_ref) from gone g where provider = 'local' and object_ref is not null
      and not exists (select from pieces o where o.object_ref = g.object_ref and o.id <> all($1::uuid[]))
      and not exists (select from files f where f.staged_ref = g.object_ref)), '{}') as local_refs`

/** Queues for removal what was stored for a piece that was deleted while it was stored, except in accounts that are deleted. */
export async function leaveRemnants(tx: ClientBase, enqueue: Enqueue, remnants: readonly Remnant[]): Promise<void> {
  const left = remnants.filter(({ objectRef, session }) => objectRef !== null || session !== null)
  if (left.length === 0) return
  await tx.query(
    `insert into object_removals (id, account_id, object_ref, size, hash, session)
     select gen_random_uuid(), left_over.* from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[])
         as left_over(account_id, object_ref, size, hash, session)
       join accounts a on a.id = left_over.account_id`,
    [
      left.map(({ accountId }) => accountId),
      left.map(({ objectRef }) => objectRef),
      left.map(({ size }) => size),
      left.map(({ hash }) => hash),
      left.map(({ pieceId, session }) => session && removalSession(pieceId, session)),
    ],
  )
  await enqueueRemovals(tx, enqueue, [...new Set(left.map(({ accountId }) => accountId))])
}

export async function enqueueRemovals(
  tx: ClientBase,
  enqueue: Enqueue,
  accountIds: readonly string[],
  delaySeconds = 0,
): Promise<void> {
  for (const accountId of accountIds) {
    await enqueue(tx, 'removeObjects', { accountId }, { key: `remove ${accountId}`, delaySeconds })
  }
}

/**
 * Queues jobs for the removals that are due, including those whose job was lost in a crash. Accounts that are
 * disconnected or expired are skipped.
 */
export async function wakeRemovals(tx: ClientBase & Queryable, enqueue: Enqueue): Promise<void> {
  const { rows } = await tx.query<{ account_id: string }>(
    `select distinct r.account_id from object_removals r join accounts a on a.id = r.account_id
     where r.next_try_at <= now() and a.disconnected_at is null and a.status = 'CONNECTED'`,
  )
  await enqueueRemovals(
    tx,
    enqueue,
    rows.map((row) => row.account_id),
  )
}

/** The account is reachable again: its waiting removals are due now. */
export async function wakeRemovalsOf(tx: ClientBase, enqueue: Enqueue, accountId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update object_removals r set next_try_at = least(r.next_try_at, now()) from accounts a
     where r.account_id = $1 and a.id = $1 and a.provider <> 'local' and ${presentSql('a')}`,
    [accountId],
  )
  if (rowCount) await enqueueRemovals(tx, enqueue, [accountId])
}
