import type pg from 'pg'
import type { ActivityLog } from '../activity/contract.ts'
import type { Viewer } from '../viewer.ts'
import type { Visitor } from './contract.ts'
import type { OpenShare } from './visits.ts'

/** Visits of one address to one share within this time are recorded once. */
const VISIT_MS = 10 * 60_000
const MOST_REMEMBERED = 10_000

export type ShareLogDeps = {
  readonly pool: pg.Pool
  readonly activity: ActivityLog
  readonly onError: (error: unknown) => void
}

/** Activity log entries about shares, for their owners. */
export type ShareLog = {
  /** A change by the owner. */
  owner(viewer: Viewer, action: 'SHARE_CREATED' | 'SHARE_CHANGED' | 'SHARE_REVOKED', shareId: string): void
  opened(visitor: Visitor, share: OpenShare): void
  refused(visitor: Visitor, share: OpenShare): void
  downloaded(visitor: Visitor, share: OpenShare): void
  reported(visitor: Visitor, share: OpenShare, reason: string): void
  /** At most once a day per share. */
  unavailable(share: OpenShare): void
}

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

  async function reportUnavailable({ id, userId, file }: OpenShare): Promise<void> {
    const { rowCount } = await pool.query(
      `select from activities where subject_id = $1 and action = 'SHARE_UNAVAILABLE' and at > now() - interval '1 day' limit 1`,
      [id],
    )
    if (rowCount === 0) {
      activity.record({ kind: 'SYSTEM', userId }, { action: 'SHARE_UNAVAILABLE', ...about({ id, file }) })
    }
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
      // Entries are written with a delay; until then this prevents a second one.
      setTimeout(() => reported.delete(share.id), VISIT_MS).unref()
      reportUnavailable(share).catch(onError)
    },
  }
}
