import type { PoolClient } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { HashAlgorithm } from '../../lib/contentHash.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { ChangeDeps } from './change.ts'
import { refreshStates } from './states.ts'

/** A stored object as its row knows it. */
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
  /** Wrong bytes were read of its copy, whatever its account says about it. */
  readonly damaged: boolean
}

/** SAME: the bytes that were stored. OTHER: somebody changed them there. GONE: deleted, or in the provider's trash. */
export type Verdict = 'SAME' | 'OTHER' | 'GONE'

export type SeenObject = {
  readonly object: StoredObject
  readonly verdict: Verdict
  /** What the object is known by from now on. */
  readonly ref: string
  readonly path: string | null
}

/** SQL: whether something of the piece `alias` is known that keeps its copy from being read. */
const flagged = (alias: string): string => `(${alias}.missing_since is not null or ${alias}.changed_at is not null)`

/** SQL: objects of finished copies on account $1. */
export const OBJECTS = `select p.id as "pieceId", c.id as "copyId", c.file_id as "fileId", f.user_id as "userId", p.object_ref as ref,
    p.size::float8 as size, p.hash, p.object_path as path, p.missing_since is not null as missing, p.changed_at is not null as changed,
    c.state = 'MISSING' and not exists (select from pieces o where o.copy_id = c.id and ${flagged('o')}) as damaged
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.account_id = $1 and p.state = 'STORED' and p.object_ref is not null and f.purged_at is null and c.state <> 'STORING'`

/** Whether an object with this size and hash (lower-case hex) is what was stored. A hash that one side lacks decides nothing. */
export function isSame(
  stored: { readonly size: number | null; readonly hash: string | null },
  seen: { readonly size: number | null; readonly hash: string | null },
  algorithm: HashAlgorithm | null,
): boolean {
  if (stored.size !== null && stored.size !== seen.size) return false
  return stored.hash === null || seen.hash === null || stored.hash === `${algorithm}:${seen.hash}`
}

/** Files of one transaction, and of one job that follows. */
const FILES_AT_ONCE = 200

/**
 * Writes down what an account said about its objects; states, repairs and news of the files follow in the same transaction. What
 * the rows say already changes nothing, and neither does what is said of an object that its piece does not have any more.
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

/** A damaged copy stays damaged; only that somebody changed it explains more. */
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
  const touched = await retrying(() =>
    transaction(pool, async (tx) => {
      await tx.query('select from files where id = any($1::uuid[]) order by id for no key update', [fileIds])
      const changed = await writeSeen(tx, seen)
      if (changed.length === 0) return []
      for (const userId of userIds) {
        const own = seen.filter(({ object }) => object.userId === userId && changed.includes(object.fileId))
        await enqueueSettle(tx, enqueue, { userId, fileIds: [...new Set(own.map(({ object }) => object.fileId))] })
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

/** @returns ids of the files that are to be looked at: their copies are others now, or the reason why one does not count is */
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
