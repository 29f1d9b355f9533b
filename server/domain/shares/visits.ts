import type pg from 'pg'
import { ContentUnavailableError, NotFoundError } from '../errors.ts'
import type { Contents } from '../files/content.ts'
import { isInlineSafe } from '../files/inlineTypes.ts'
import { listFiles } from '../files/listing.ts'
import { pathsOf } from '../files/lookup.ts'
import type { PublicShare, SharedFile, SharedFilePage, SharesService } from '../services/shares.ts'
import type { File } from '../services.ts'
import type { OpenShare } from './gate.ts'

export type VisitDeps = { readonly pool: pg.Pool; readonly contents: Pick<Contents, 'open'> }

/** Someone who acts for the owner inside this server, within what the share lets through. */
export const ownerOf = ({ userId }: OpenShare) => ({ userId, sessionId: null })

/** What a visitor who has passed may know. */
export async function describeShare(deps: VisitDeps, share: OpenShare): Promise<PublicShare> {
  const { id, file, ownerName, expiresAt, maxDownloads, downloads } = share
  const { name, kind, category, mimeType, size } = file
  return {
    id,
    needsPassword: false,
    name,
    kind,
    category,
    mimeType,
    size,
    sharedBy: firstNameOf(ownerName),
    expiresAt,
    downloadsLeft: maxDownloads === null ? null : maxDownloads - downloads,
    previews: maxDownloads === null && (kind === 'FOLDER' || isInlineSafe(mimeType)),
    available: kind === 'FOLDER' || (await isAvailable(deps, share)),
  }
}

function firstNameOf(fullName: string): string {
  return fullName.trim().split(/\s+/u)[0] ?? ''
}

async function isAvailable({ contents }: VisitDeps, share: OpenShare): Promise<boolean> {
  try {
    await contents.open(ownerOf(share), share.file.id)
    return true
  } catch (error) {
    if (error instanceof ContentUnavailableError) return false
    throw error
  }
}

type ListOptions = Parameters<SharesService['listFiles']>[2]

/** @throws NotFoundError for what is no live folder of the share, InvalidInputError at `after` */
export async function listShared(
  { pool }: VisitDeps,
  share: OpenShare,
  { folderId = share.file.id, limit, after }: ListOptions,
): Promise<SharedFilePage> {
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, folderId)
  const viewer = ownerOf(share)
  const [page, paths] = await Promise.all([
    listFiles(pool, viewer, { view: 'DRIVE', parentId: folderId, limit, after }).catch(asNotInShare),
    pathsOf(pool, viewer, [folderId]),
  ])
  const { rows } = await pool.query<{ name: string }>('select name from files where id = $1', [folderId])
  const above = paths.get(folderId) ?? []
  const inside = above.slice(above.findIndex(({ id }) => id === share.file.id) + 1)
  const path = folderId === share.file.id ? [] : [...inside, { id: folderId, name: rows[0]?.name ?? '' }]
  return {
    items: page.items.map(({ file, cursor }) => ({ file: toSharedFile(file), cursor })),
    hasNextPage: page.hasNextPage,
    path: path.map(({ id, name }) => ({ id, name })),
  }
}

function toSharedFile({ id, name, kind, category, mimeType, size, childCount }: File): SharedFile {
  return { id, name, kind, category, mimeType, size, childCount }
}

/** Said to a visitor who may see the share, of what is not in it. */
export function notInShare(): NotFoundError {
  return new NotFoundError('There is no such file behind this link. It may have been moved or deleted.')
}

function asNotInShare(error: unknown): never {
  throw error instanceof NotFoundError ? notInShare() : error
}

/** The shared entry itself or one below it, with nothing between them in the trash. @throws NotFoundError */
export async function requireBelow(pool: pg.Pool, share: OpenShare, fileId: string): Promise<void> {
  const { rows } = await pool.query<{ inside: boolean | null }>({
    name: 'share holds file',
    text: `with recursive up as (
        select id, parent_id, trashed_at is null and purged_at is null as live from files where id = $1 and user_id = $3
        union all select p.id, p.parent_id, p.trashed_at is null and p.purged_at is null
          from up join files p on p.id = up.parent_id where up.id <> $2)
      select bool_and(live) and bool_or(id = $2) as inside from up`,
    values: [fileId, share.file.id, share.userId],
  })
  if (!rows[0]?.inside) throw notInShare()
}
