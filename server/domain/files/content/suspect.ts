import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import { transaction } from '../../../db/pool.ts'
import { newId } from '../../../lib/ids.ts'
import type { Driver, EntryRef } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import type { Enqueue, JobInputs } from '../../jobs.ts'
import type { ChangeDeps } from '../tree/change.ts'
import { blockSum, SUM_BYTES } from './blockSums.ts'
import { createCopyStream, type Part, ShortPartError } from './copyStream.ts'
import type { RemoveObjectsDeps } from './removals.ts'
import {
  changeFile,
  enqueueCheck,
  inspectObject,
  isSame,
  markLost,
  markSeen,
  markUnseen,
  type OwnedFile,
  recordSeen,
  type StoredObject,
} from './seenObjects.ts'

/** Delays in seconds before a suspect copy is read again, by the number of failed checks; the last one repeats. */
const READ_AFTER_SECONDS = [60, 300, 1_800, 10_800] as const
const STALL_MS = 20_000

const SUSPECT = `update copies set suspect_since = now(), suspect_block = $2, suspect_reads = 0
  where id = $1 and state = 'STORED' and suspect_since is null returning id`

/**
 * A block was repeatedly read with wrong bytes, but the account reports the object as unchanged: a job reads it again
 * later.
 */
export async function markSuspect({ pool, enqueue }: ChangeDeps, copyId: string, block: number): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(SUSPECT, [copyId, block])
    if (rowCount === 1) await readLater(tx, enqueue, copyId, 0)
  })
}

async function readLater(tx: PoolClient, enqueue: Enqueue, copyId: string, reads: number): Promise<void> {
  const delaySeconds = READ_AFTER_SECONDS[Math.min(reads, READ_AFTER_SECONDS.length - 1)] ?? 0
  await enqueue(tx, 'readSuspect', { copyId }, { key: `suspect ${copyId}`, delaySeconds })
}

const CLEAR = `update copies set suspect_since = null, suspect_block = null, suspect_reads = 0
  where id = $1 and suspect_since is not null`

/** The block was read correctly: the copy is no longer suspect. */
export function markSound(deps: ChangeDeps, file: OwnedFile, copyId: string): Promise<void> {
  return changeFile(deps, file, async (tx) => (await tx.query(CLEAR, [copyId])).rowCount === 1)
}

const STILL_WRONG = `update copies set suspect_reads = suspect_reads + 1
  where id = $1 and suspect_since is not null returning suspect_reads as reads`

/** After the first failed check the file's state reports it, and another copy is made if possible. */
function markStillWrong(deps: ChangeDeps, file: OwnedFile, copyId: string): Promise<void> {
  return changeFile(deps, file, async (tx) => {
    const { rows } = await tx.query<{ reads: number }>(STILL_WRONG, [copyId])
    const [copy] = rows
    if (copy) await readLater(tx, deps.enqueue, copyId, copy.reads)
    return copy?.reads === 1
  })
}

const PIECE = `select p.id as "pieceId", c.id as "copyId", f.id as "fileId", f.user_id as "userId", p.object_ref as ref,
    p.size::float8 as size, p.hash, p.object_path as path, p.missing_since is not null as missing,
    p.changed_at is not null as changed, false as damaged
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.id = $1 and p.state = 'STORED' and f.purged_at is null`

/** The account holds another object now: the copy is lost until the stored one is back. */
export async function recordOther(deps: ChangeDeps, pieceId: string): Promise<void> {
  const { rows } = await deps.pool.query<StoredObject>(PIECE, [pieceId])
  const [object] = rows
  if (!object) return
  await deps.pool.query(CLEAR, [object.copyId])
  const { ref, path } = object
  await recordSeen(deps, [{ object, verdict: 'OTHER', ref, path }])
}

type Suspect = {
  readonly fileId: string
  readonly userId: string
  readonly block: number
  readonly reads: number
  readonly blockSize: number
  readonly sums: Buffer
  readonly size: number
  /** Parts that overlap the block, in the order of their offsets. */
  readonly parts: readonly Part[]
}

const FIND = `select f.id as "fileId", f.user_id as "userId", c.suspect_block as block, c.suspect_reads as reads,
    s.block_size as "blockSize", s.sums, f.size::float8 as size, (
      select coalesce(json_agg(json_build_object('id', p.id, 'accountId', p.account_id, 'local', a.provider = 'local',
        'ref', p.object_ref, 'offset', p."offset", 'size', p.size, 'hash', p.hash, 'unseen', false) order by p.index), '[]')
      from pieces p join accounts a on a.id = p.account_id
      where p.copy_id = c.id and p.state = 'STORED' and p."offset" < (c.suspect_block + 1) * s.block_size::bigint
        and p."offset" + p.size > c.suspect_block * s.block_size::bigint) as parts
  from copies c join files f on f.id = c.file_id join block_sums s on s.file_id = f.id
  where c.id = $1 and c.suspect_since is not null and f.purged_at is null`

export type SuspectDeps = ChangeDeps & Pick<RemoveObjectsDeps, 'openDriver' | 'report'>

/**
 * Checks the objects of a suspect copy and reads its block again: it is sound, lost by the account's report, or stays
 * suspect.
 */
export async function readSuspect(
  deps: SuspectDeps,
  { copyId }: JobInputs['readSuspect'],
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await deps.pool.query<Suspect>(FIND, [copyId])
  const [suspect] = rows
  if (!suspect) return
  const file = { id: suspect.fileId, userId: suspect.userId }
  const found = await examine(deps, suspect, signal)
  if (found === 'SOUND') return markSound(deps, file, copyId)
  if (found === 'WRONG') return markStillWrong(deps, file, copyId)
  if (found !== 'NO_ANSWER') {
    if (found.is === 'OTHER') return recordOther(deps, found.pieceId)
    await markUnseen(deps, found.pieceId)
  }
  // An account that does not respond is not asked every minute.
  await transaction(deps.pool, (tx) => readLater(tx, deps.enqueue, copyId, Math.max(1, suspect.reads)))
}

type Found = 'SOUND' | 'WRONG' | 'NO_ANSWER' | { readonly pieceId: string; readonly is: 'OTHER' | 'NOTHING' }

async function examine(deps: SuspectDeps, suspect: Suspect, signal: AbortSignal): Promise<Found> {
  const call = { signal, requestId: newId() }
  let accountId = ''
  const driverOf = (part: Part): Promise<Driver> => {
    accountId = part.accountId
    return deps.openDriver(accountId)
  }
  try {
    for (const part of suspect.parts) {
      const seen = await inspectObject(await driverOf(part), call, part)
      deps.report.worked(accountId)
      if (seen !== 'SAME') return { pieceId: part.id, is: seen }
    }
    return (await isSound(suspect, driverOf, signal)) ? 'SOUND' : 'WRONG'
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ShortPartError) return 'WRONG'
    if (!(error instanceof ProviderError)) throw error
    deps.report.failed(accountId, error)
    return error.code === 'Corrupt' ? 'WRONG' : 'NO_ANSWER'
  }
}

/** @throws ProviderError; ShortPartError when an object ends early */
async function isSound(
  { block, blockSize, sums, size, parts }: Suspect,
  driverOf: (part: Part) => Promise<Driver>,
  signal: AbortSignal,
): Promise<boolean> {
  const start = block * blockSize
  const target = Buffer.alloc(Math.min(blockSize, size - start))
  const stream = createCopyStream({
    openPart: async (part, from, to, call) => {
      const asked = { ...call, requestId: newId() }
      return (await (await driverOf(part)).get(asked, part.ref as EntryRef, { start: from, end: to })).body
    },
    stallMs: STALL_MS,
    copy: { id: '', parts, suspectBlock: null },
    start,
    end: start + target.length - 1,
    lastChance: false,
  })
  signal.addEventListener('abort', stream.close, { once: true })
  try {
    await stream.fill(target)
  } finally {
    signal.removeEventListener('abort', stream.close)
    stream.close()
  }
  const sum = blockSum(createHash('sha256').update(target))
  return sum.equals(sums.subarray(block * SUM_BYTES, (block + 1) * SUM_BYTES))
}

export type SeekDeps = ChangeDeps & Pick<RemoveObjectsDeps, 'openDriver' | 'report'>

const PIECE_TO_SEEK = `select p.account_id as "accountId", p.id as "pieceId", c.id as "copyId", f.id as "fileId", f.user_id as "userId",
    p.object_ref as ref, p.size::float8 as size, p.hash, p.object_path as path, true as missing, p.changed_at is not null as changed, false as damaged
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.id = $1 and p.missing_since is not null and f.purged_at is null`

type Unseen = StoredObject & { readonly accountId: string }

/**
 * Checks an object that an account did not find: it is there again, another one, or lost. Queues the next check while
 * it is missing.
 */
export async function seekObject(
  deps: SeekDeps,
  { pieceId, look }: JobInputs['seekObject'],
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await deps.pool.query<Unseen>(PIECE_TO_SEEK, [pieceId])
  const [unseen] = rows
  if (!unseen) return
  const file = { id: unseen.fileId, userId: unseen.userId }
  const seen = await checkPiece(deps, unseen, signal)
  if (seen === 'NO_ACCOUNT') return clearMissing(deps, pieceId)
  if (seen === 'SAME') return markSeen(deps, file, pieceId)
  if (seen === 'OTHER') return recordSeen(deps, [{ ...unseen, object: unseen, verdict: 'OTHER' }])
  if (seen === 'NOTHING') await markLost(deps, file, pieceId)
  const next = { pieceId, look: seen === 'NOTHING' ? look + 1 : look }
  await transaction(deps.pool, (tx) => enqueueCheck(tx, deps.enqueue, next))
}

/**
 * The account cannot be asked: the next reader after it is connected again repeats the check. A copy that counts as
 * lost stays lost.
 */
async function clearMissing({ pool }: SeekDeps, pieceId: string): Promise<void> {
  await pool.query(
    `update pieces p set missing_since = null from copies c where p.id = $1 and c.id = p.copy_id and c.state = 'STORED'`,
    [pieceId],
  )
}

async function checkPiece(
  { openDriver, report }: SeekDeps,
  { accountId, ref, ...stored }: Unseen,
  signal: AbortSignal,
): Promise<'SAME' | 'OTHER' | 'NOTHING' | 'NO_ANSWER' | 'NO_ACCOUNT'> {
  try {
    const driver = await openDriver(accountId)
    // Only refs that this driver has issued are stored.
    const seen = await driver.stat({ signal, requestId: newId() }, ref as EntryRef)
    report.worked(accountId)
    return isSame(stored, seen, driver.capabilities.hash) ? 'SAME' : 'OTHER'
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
    report.failed(accountId, error)
    if (error.code === 'ReconnectNeeded') return 'NO_ACCOUNT'
    return error.code === 'NotFound' ? 'NOTHING' : 'NO_ANSWER'
  }
}
