import type pg from 'pg'
import { transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError } from '../errors.ts'
import { changeShares, endShares, lockFileOf, type ShareChange, type ShareChangeDeps } from './changes.ts'
import { linkGone, type OpenShare } from './gate.ts'
import { NOT_ENDED } from './rows.ts'

/** A claim without a sign of life for so long is a crash's. */
const STALE = "interval '5 minutes'"
/** A cut download counts when more than this part of the content left. */
const MOST_GIVEN_BACK = 0.5
/** Parts are added up in binary fractions: ten tenths are a little less than one. */
const WHOLE = 1 - 1e-6

/**
 * Takes one of a limited share's downloads for as long as it runs: those that were completed and those under way are never more than
 * the limit. @throws NotFoundError when it is used up, ConflictError while all that are left are under way
 */
export async function takeClaim(pool: pg.Pool, shareId: string): Promise<string> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ left: number }>(
      `select s.max_downloads - s.downloads as left from shares s where s.id = $1 and ${NOT_ENDED} for update`,
      [shareId],
    )
    const [share] = rows
    if (!share) throw linkGone()
    const claimed = await tx.query(`select from share_claims where share_id = $1 and seen_at > now() - ${STALE}`, [
      shareId,
    ])
    // Null: the limit was taken away meanwhile.
    if (share.left !== null && (claimed.rowCount ?? 0) >= share.left) {
      throw new ConflictError('Every download that this link allows is under way. Please try again when one has ended.')
    }
    const id = newId()
    await tx.query('insert into share_claims (id, share_id) values ($1, $2)', [id, shareId])
    return id
  })
}

/** Gives back what a crash has left. */
export async function forgetStaleClaims(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from share_claims where seen_at <= now() - ${STALE}`)
}

/**
 * Ends a claim. `part` of the content left with it: a cut download is given back, but parts add up, so that never more than the limit's
 * number of whole contents leaves, however it is cut. The last download ends the share. @returns whether a download was counted
 */
export async function settleClaim(
  deps: ShareChangeDeps,
  share: OpenShare,
  claimId: string,
  part: number,
): Promise<boolean> {
  return changeShares(deps, async (change) => {
    await lockFileOf(change, share.file.id)
    await change.tx.query('delete from share_claims where id = $1', [claimId])
    return count(change, share, part)
  })
}

async function count(change: ShareChange, { id, userId, file }: OpenShare, part: number): Promise<boolean> {
  const { rows } = await change.tx.query<{ cut_part: number }>('select cut_part from shares where id = $1 for update', [
    id,
  ])
  const [share] = rows
  if (!share) return false
  const sum = share.cut_part + part
  const counts = part > MOST_GIVEN_BACK || sum >= WHOLE
  const cutPart = part > MOST_GIVEN_BACK ? share.cut_part : Math.max(0, counts ? sum - 1 : sum)
  const { rows: counted } = await change.tx.query<{ used_up: boolean | null }>(
    `update shares set cut_part = $2, downloads = downloads + $3 where id = $1 returning downloads >= max_downloads as used_up`,
    [id, cutPart, counts ? 1 : 0],
  )
  if (counts) change.fileIds.set(file.id, userId)
  if (counted[0]?.used_up) await endShares(change, userId, file.id, [id])
  return counts
}

/** A completed download of a share without a limit. */
export async function countDownload(deps: ShareChangeDeps, { id, userId, file }: OpenShare): Promise<void> {
  await changeShares(deps, async (change) => {
    await change.tx.query('update shares set downloads = downloads + 1 where id = $1', [id])
    change.fileIds.set(file.id, userId)
  })
}
