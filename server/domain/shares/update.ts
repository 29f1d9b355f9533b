import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { SharePatch } from '../services/shares.ts'
import type { Viewer } from '../viewer.ts'
import {
  changeShares,
  endShares,
  enqueueTakingBack,
  lockFileOf,
  type ShareChange,
  type ShareChangeDeps,
} from './changes.ts'
import type { CreateDeps } from './create.ts'
import { NOT_ENDED } from './rows.ts'
import { checkLimitAgainst, checkSettings, notInFuture } from './rules.ts'

/** @throws NotFoundError, InvalidInputError */
export async function updateShare(deps: CreateDeps, viewer: Viewer, id: string, patch: SharePatch): Promise<void> {
  checkSettings(patch)
  const { password } = patch
  const passwordHash = typeof password === 'string' ? await deps.passwords.hash(password) : password
  await changeShares(deps, async (change) => {
    const fileId = await lockOwn(change, viewer, id)
    const { rows } = await change.tx.query<{ downloads: number }>(
      `select s.downloads from shares s where s.id = $1 and ${NOT_ENDED} for no key update`,
      [id],
    )
    const [share] = rows
    if (!share) throw new NotFoundError()
    checkLimitAgainst(share.downloads, patch.maxDownloads)
    await write(change, id, { ...patch, passwordHash })
    change.fileIds.set(fileId, viewer.userId)
    // The provider's link would ask for no password and count nothing.
    if (typeof password === 'string' || typeof patch.maxDownloads === 'number') await enqueueTakingBack(change)
  })
}

type Written = Pick<SharePatch, 'expiresAt' | 'maxDownloads'> & { readonly passwordHash: string | null | undefined }

async function write({ tx }: ShareChange, id: string, { passwordHash, expiresAt, maxDownloads }: Written) {
  const { rowCount } = await tx.query(
    `update shares set password_hash = case when $2 then $3 else password_hash end,
       expires_at = case when $4 then $5::timestamptz else expires_at end,
       max_downloads = case when $6 then $7::int else max_downloads end
     where id = $1 and ($5::timestamptz is null or $5::timestamptz > now())`,
    [
      id,
      passwordHash !== undefined,
      passwordHash ?? null,
      expiresAt !== undefined,
      expiresAt ?? null,
      maxDownloads !== undefined,
      maxDownloads ?? null,
    ],
  )
  if (rowCount === 0) throw new InvalidInputError([notInFuture()])
}

/** @returns whether it was live until now. @throws NotFoundError */
export async function revokeShare(deps: ShareChangeDeps, viewer: Viewer, id: string): Promise<boolean> {
  return changeShares(deps, async (change) => {
    const fileId = await lockOwn(change, viewer, id)
    return (await endShares(change, viewer.userId, fileId, [id])).length > 0
  })
}

/** @returns the ids of those that were ended. @throws NotFoundError when there was none */
export async function revokeSharesOfCopy(
  deps: ShareChangeDeps,
  viewer: Viewer,
  fileId: string,
  copyId: string,
): Promise<string[]> {
  return changeShares(deps, async (change) => {
    const { rows } = await change.tx.query<{ id: string }>(
      `select s.id from shares s where s.user_id = $1 and s.file_id = $2 and s.copy_id = $3 and ${NOT_ENDED}`,
      [viewer.userId, fileId, copyId],
    )
    if (rows.length === 0) throw new NotFoundError()
    await lockFileOf(change, fileId)
    return endShares(
      change,
      viewer.userId,
      fileId,
      rows.map(({ id }) => id),
    )
  })
}

/** @returns the file of the viewer's share, which is locked. @throws NotFoundError */
async function lockOwn(change: ShareChange, { userId }: Viewer, id: string): Promise<string> {
  const { rows } = await change.tx.query<{ file_id: string }>(
    'select file_id from shares where id = $1 and user_id = $2',
    [id, userId],
  )
  const [share] = rows
  if (!share) throw new NotFoundError()
  await lockFileOf(change, share.file_id)
  return share.file_id
}
