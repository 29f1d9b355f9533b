import type { Share, ShareState } from '../services/shares.ts'

/** Of `shares s`: what opens as far as the share itself goes, by the database clock. */
export const NOT_ENDED = `s.ended_at is null and (s.expires_at is null or s.expires_at > now())
  and (s.max_downloads is null or s.downloads < s.max_downloads)`

/** What has ended by itself and is not marked yet. */
export const RUN_OUT = `s.ended_at is null and (s.expires_at <= now() or s.downloads >= s.max_downloads)`

/** Whether neither the file of this id nor a folder above it is in the trash or deleted; asked of the tree itself, not of marks that a job makes. */
export const isReachable = (fileId: string): string => `not exists (
  with recursive up as (
    select a.parent_id, a.trashed_at, a.purged_at from files a where a.id = ${fileId}
    union all select p.parent_id, p.trashed_at, p.purged_at from up join files p on p.id = up.parent_id)
  select from up where up.trashed_at is not null or up.purged_at is not null)`

const STATE = `case when s.expires_at <= coalesce(s.ended_at, now()) then 'EXPIRED'
  when s.downloads >= s.max_downloads then 'USED_UP'
  when s.ended_at is not null or f.purged_at is not null then 'REVOKED'
  when f.trash_root_id is not null then 'PAUSED' else 'LIVE' end`

/** Columns of a `ShareRow`, of `shares s join files f`. */
export const SHARE_COLUMNS = `s.id, s.file_id, s.copy_id, ${STATE} as state, s.password_hash is not null as has_password,
  s.expires_at, s.max_downloads, s.downloads, s.provider_url, s.created_at`

export const FROM_SHARES = 'from shares s join files f on f.id = s.file_id and f.purged_at is null'

export type ShareRow = {
  readonly id: string
  readonly file_id: string
  readonly copy_id: string | null
  readonly state: ShareState
  readonly has_password: boolean
  readonly expires_at: Date | null
  readonly max_downloads: number | null
  readonly downloads: number
  readonly provider_url: string | null
  readonly created_at: Date
}

export function toShare(row: ShareRow, providerNote: string | null = null): Share {
  return {
    id: row.id,
    fileId: row.file_id,
    copyId: row.copy_id,
    state: row.state,
    hasPassword: row.has_password,
    expiresAt: row.expires_at,
    maxDownloads: row.max_downloads,
    downloads: row.downloads,
    providerUrl: row.provider_url,
    providerNote,
    createdAt: row.created_at,
  }
}
