import type pg from 'pg'
import type { ActivityLog } from '../activity/contract.ts'
import type { File } from '../files/contract.ts'
import type { Visitor } from '../shares/contract.ts'
import type { Viewer } from '../viewer.ts'
import type { OpenLink } from './visits.ts'

export type UploadLinkLogDeps = {
  readonly pool: pg.Pool
  readonly activity: ActivityLog
  readonly onError: (error: unknown) => void
}

/** Activity log entries about upload links, for their owners. */
export type UploadLinkLog = {
  /** A change by the owner. */
  owner(
    viewer: Viewer,
    action: 'UPLOAD_LINK_CREATED' | 'UPLOAD_LINK_CHANGED' | 'UPLOAD_LINK_REVOKED',
    linkId: string,
  ): void
  /** `from`: the name that the visitor gave, or the empty text. */
  received(visitor: Visitor, link: OpenLink, file: Pick<File, 'id' | 'name'>, from: string): void
  refused(visitor: Visitor, link: OpenLink): void
}

export function createUploadLinkLog({ pool, activity, onError }: UploadLinkLogDeps): UploadLinkLog {
  const actorOf = ({ address, userAgent }: Visitor, { userId }: OpenLink) =>
    ({ kind: 'VISITOR', userId, address, userAgent }) as const

  return {
    owner(viewer, action, linkId) {
      pool
        .query<{ title: string; folder_id: string }>(
          'select title, folder_id from upload_links where id = $1 and user_id = $2',
          [linkId, viewer.userId],
        )
        .then(({ rows: [link] }) => {
          const subject = { type: 'UploadLink', id: linkId, name: link?.title ?? '' } as const
          activity.record({ kind: 'VIEWER', viewer }, { action, subject, fileIds: link ? [link.folder_id] : [] })
        })
        .catch(onError)
    },
    received(visitor, link, { id, name }, from) {
      activity.record(actorOf(visitor, link), {
        action: 'FILE_RECEIVED',
        subject: { type: 'File', id, name },
        fileIds: [id, link.folderId],
        details: { link: link.title, ...(from !== '' && { visitor: from }) },
      })
    },
    refused(visitor, link) {
      const subject = { type: 'UploadLink', id: link.id, name: link.title } as const
      const fileIds = [link.folderId]
      activity.record(actorOf(visitor, link), { action: 'UPLOAD_LINK_PASSWORD_REFUSED', subject, fileIds })
    },
  }
}
