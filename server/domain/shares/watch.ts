import type pg from 'pg'
import type { ActivityLog } from '../activity/contract.ts'
import type { Viewer } from '../viewer.ts'
import { NOT_ENDED, type Visitor } from './contract.ts'
import type { OpenShare } from './visits.ts'

/** Often enough to abort a download within five seconds after its share ends. */
const EVERY_MS = 3_000
/** After this many failed checks in a row, all downloads are aborted. */
const MOST_FAILURES = 4

/** An active download, with the conditions that allow it. */
export type Watched = {
  readonly shareId: string
  readonly fileId: string
  readonly passwordHash: string | null
  readonly claimId: string | null
}

export type Watch = {
  /**
   * `signal` aborts when the share no longer opens, no longer contains the file or has another password, when the claim was deleted,
   * or when the share now has a limit and this download has no claim.
   */
  add(watched: Watched): { readonly signal: AbortSignal; remove(): void }
  /** Checks immediately, after a change of a share by this process. */
  check(): Promise<void>
}

/** Up to the root, because a trashed folder above also pauses a share. */
const IS_INSIDE = `(
  with recursive up as (
    select a.id, a.parent_id, a.trashed_at is null and a.purged_at is null as live from files a where a.id = w.file_id
    union all select p.id, p.parent_id, p.trashed_at is null and p.purged_at is null from up join files p on p.id = up.parent_id)
  select bool_and(up.live) and bool_or(up.id = s.file_id) from up)`

const ALLOWED = `select w.at::int as at
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[]) as w(at, share_id, file_id, password_hash, claim_id)
    join shares s on s.id = w.share_id join users u on u.id = s.user_id
  where ${NOT_ENDED} and u.deleted_at is null and ${IS_INSIDE}
    and s.password_hash is not distinct from w.password_hash
    and case when w.claim_id is null then s.max_downloads is null
      else exists (select from share_claims c where c.id = w.claim_id) end`

const SEEN = `update share_claims set seen_at = now() where id = any($1::uuid[]) and seen_at < now() - interval '1 minute'`

/** Polls the conditions of all downloads of this process with one statement, while there are any. */
export function createWatch({ pool, everyMs = EVERY_MS }: { pool: pg.Pool; everyMs?: number }): Watch {
  const running = new Map<Watched, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let failures = 0

  function schedule(): void {
    if (timer || running.size === 0) return
    timer = setTimeout(() => {
      timer = undefined
      void check().then(schedule)
    }, everyMs).unref()
  }

  async function check(): Promise<void> {
    const checked = [...running]
    if (checked.length === 0) return
    const allowed = await allowedOf(
      pool,
      checked.map(([watched]) => watched),
    ).catch(() => null)
    failures = allowed ? 0 : failures + 1
    if (!allowed && failures < MOST_FAILURES) return
    checked.forEach(([watched, controller], at) => {
      if (allowed?.has(at)) return
      running.delete(watched)
      controller.abort()
    })
  }

  return {
    add(watched) {
      const controller = new AbortController()
      running.set(watched, controller)
      schedule()
      return { signal: controller.signal, remove: () => void running.delete(watched) }
    },
    check,
  }
}

/** Indexes of the downloads that may continue; updates their claims. */
async function allowedOf(pool: pg.Pool, watched: readonly Watched[]): Promise<Set<number>> {
  const { rows } = await pool.query<{ at: number }>(ALLOWED, [
    watched.map((_, at) => at),
    watched.map(({ shareId }) => shareId),
    watched.map(({ fileId }) => fileId),
    watched.map(({ passwordHash }) => passwordHash),
    watched.map(({ claimId }) => claimId),
  ])
  const claims = watched.flatMap(({ claimId }) => claimId ?? [])
  if (claims.length > 0) await pool.query(SEEN, [claims])
  return new Set(rows.map(({ at }) => at))
}

/** Visits of one address to one share within this time are recorded once. */
const VISIT_MS = 10 * 60_000
const MOST_REMEMBERED = 10_000

export type ShareLogDeps = {
  readonly pool: pg.Pool
  readonly activity: ActivityLog
  readonly onError: (error: unknown) => void
}

type UnavailableShare = Pick<OpenShare, 'id' | 'userId'> & { readonly file: Shared }

/** Activity log entries about shares, for their owners. */
export type ShareLog = {
  /** A change by the owner. */
  owner(viewer: Viewer, action: 'SHARE_CREATED' | 'SHARE_CHANGED' | 'SHARE_REVOKED', shareId: string): void
  opened(visitor: Visitor, share: OpenShare): void
  refused(visitor: Visitor, share: OpenShare): void
  downloaded(visitor: Visitor, share: OpenShare): void
  reported(visitor: Visitor, share: OpenShare, reason: string): void
  /** At most once a day per share, whichever servers find it. */
  unavailable(share: UnavailableShare): void
}

/** Of several servers that find it at the same moment, one reports it. */
const TAKE_REPORT = `update shares set unavailable_reported_at = now()
  where id = $1 and coalesce(unavailable_reported_at < now() - interval '1 day', true)`

type Shared = Pick<OpenShare['file'], 'id' | 'name'>

/** Without the file when it was deleted in the meantime. */
function about({ id, file }: { readonly id: string; readonly file: Shared | undefined }) {
  return { subject: { type: 'Share', id, name: file?.name ?? '' }, fileIds: file ? [file.id] : [] } as const
}

export function createShareLog({ pool, activity, onError }: ShareLogDeps): ShareLog {
  const visits = new Map<string, number>()
  const reported = new Set<string>()

  function visited(
    visitor: Visitor,
    share: OpenShare,
    action: 'SHARE_OPENED' | 'SHARE_DOWNLOADED' | 'SHARE_PASSWORD_REFUSED' | 'SHARE_REPORTED',
    details: Readonly<Record<string, string>> = {},
  ) {
    const { address, userAgent } = visitor
    const actor = { kind: 'VISITOR', userId: share.userId, address, userAgent } as const
    activity.record(actor, { action, ...about(share), details })
  }

  async function reportUnavailable({ id, userId, file }: UnavailableShare): Promise<void> {
    const { rowCount } = await pool.query(TAKE_REPORT, [id])
    if (rowCount === 1)
      activity.record({ kind: 'SYSTEM', userId }, { action: 'SHARE_UNAVAILABLE', ...about({ id, file }) })
  }

  return {
    owner(viewer, action, shareId) {
      pool
        .query<Shared>('select f.id, f.name from shares s join files f on f.id = s.file_id where s.id = $1', [shareId])
        .then(({ rows }) =>
          activity.record({ kind: 'VIEWER', viewer }, { action, ...about({ id: shareId, file: rows[0] }) }),
        )
        .catch(onError)
    },
    opened(visitor, share) {
      const key = `${share.id} ${visitor.address}`
      const now = Date.now()
      if (now - (visits.get(key) ?? 0) < VISIT_MS) return
      if (visits.size >= MOST_REMEMBERED) visits.clear()
      visits.set(key, now)
      visited(visitor, share, 'SHARE_OPENED')
    },
    refused: (visitor, share) => visited(visitor, share, 'SHARE_PASSWORD_REFUSED'),
    downloaded: (visitor, share) => visited(visitor, share, 'SHARE_DOWNLOADED'),
    reported: (visitor, share, reason) => visited(visitor, share, 'SHARE_REPORTED', { reason }),
    unavailable(share) {
      if (reported.has(share.id)) return
      reported.add(share.id)
      // So that each failed download does not ask the database.
      setTimeout(() => reported.delete(share.id), VISIT_MS).unref()
      reportUnavailable(share).catch(onError)
    },
  }
}
