import type pg from 'pg'
import { networkOf } from '../../lib/addresses.ts'
import { createGroupedRead } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { SharedCalls } from '../../lib/limits.ts'
import { NotFoundError, WrongPasswordError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import type { ShareChangeDeps } from '../shares/changes.ts'
import { GUESSES_PER_NETWORK, GUESSES_PER_SHARE } from '../shares/service.ts'
import { createProofs } from '../shares/visits.ts'
import type { UploadsService } from '../uploads/contract.ts'
import { createPasswords, createThrottle, type ThrottleRule } from '../users/passwords.ts'
import { createLink, endDueLinks, revokeLink, updateLink } from './changes.ts'
import { openUploadsOf, reconcileAllClaims, reconcileClaims } from './claims.ts'
import {
  getLinks,
  linksOfFolders,
  listLinks,
  requireLink,
  type UploadLink,
  type UploadLinksService,
} from './contract.ts'
import { createUploadLinkLog, type UploadLinkLogDeps } from './log.ts'
import { appendBytes, beginUpload, cancelUpload, type ReceiveDeps, readProgress, receiveWhole } from './receive.ts'
import { createLinkGate, describeLink } from './visits.ts'

export type UploadLinksDeps = UploadLinkLogDeps &
  Pick<ReceiveDeps, 'uploads' | 'files'> & {
    readonly pool: pg.Pool
    readonly events: Events
    readonly enqueue: Enqueue
    readonly encryption: Pick<Encryption, 'sign' | 'verify'>
    /** Counts over all servers. Absent: this process is the only one. */
    readonly calls?: SharedCalls | null
  }

export function createUploadLinksService(given: UploadLinksDeps): UploadLinksService {
  const { pool } = given
  const passwords = createPasswords()
  const throttle = createThrottle(pool)
  const proofs = createProofs(given.encryption)
  const gate = createLinkGate({ pool, proofs, calls: given.calls ?? null })
  const log = createUploadLinkLog(given)
  const deps = { ...given, passwords, gate, log }
  const ofFolders = createGroupedRead<UploadLink[]>((userId, ids) => linksOfFolders(pool, { userId }, ids))

  return {
    async create(viewer, input, idempotencyKey) {
      const { id, isNew } = await createLink(deps, viewer, input, idempotencyKey)
      if (isNew) log.owner(viewer, 'UPLOAD_LINK_CREATED', id)
      return requireLink(pool, viewer, id)
    },
    list: (viewer, options) => listLinks(pool, viewer, options),
    getMany: (viewer, ids) => getLinks(pool, viewer, ids),
    ofFolders: ({ userId }, folderIds) => ofFolders(userId, folderIds),
    async update(viewer, id, patch) {
      await updateLink(deps, viewer, id, patch)
      log.owner(viewer, 'UPLOAD_LINK_CHANGED', id)
      return requireLink(pool, viewer, id)
    },
    async revoke(viewer, id) {
      if (await revokeLink(deps, viewer, id)) {
        log.owner(viewer, 'UPLOAD_LINK_REVOKED', id)
        await endUploads(deps, viewer.userId, id)
      }
      return requireLink(pool, viewer, id)
    },

    async visit(visitor, id) {
      const link = await gate.find(visitor, id, 'PAGE')
      return gate.isUnlocked(visitor, link) ? describeLink(link) : { id, needsPassword: true }
    },
    async unlock(visitor, id, password) {
      const link = await gate.find(visitor, id, 'PAGE')
      if (link.passwordHash === null) return proofs.issue(link, link.now)
      const known = proofs.visitorOf(link, visitor.proof)
      const rules: [key: string, rule: ThrottleRule][] = known
        ? [[`upload-link:${id}:${known}`, GUESSES_PER_SHARE]]
        : [
            [`share-network:${networkOf(visitor.address)}`, GUESSES_PER_NETWORK],
            [`upload-link:${id}`, GUESSES_PER_SHARE],
          ]
      for (const [key, rule] of rules) await throttle.take(key, rule)
      if (!(await passwords.verify(link.passwordHash, password))) {
        log.refused(visitor, link)
        throw new WrongPasswordError()
      }
      for (const [key] of rules) await throttle.refund(key)
      return proofs.issue(link, link.now)
    },
    begin: (visitor, id, file) => beginUpload(deps, visitor, id, file),
    progress: (visitor, id, uploadId) => readProgress(deps, visitor, id, uploadId),
    append: (visitor, id, uploadId, offset, body, checksum, bodyBytes) =>
      appendBytes(deps, visitor, id, uploadId, offset, body, checksum, bodyBytes),
    cancel: (visitor, id, uploadId) => cancelUpload(deps, visitor, id, uploadId),
    receive: (visitor, id, file, body) => receiveWhole(deps, visitor, id, file, body),
  }
}

type EndDeps = { readonly pool: pg.Pool; readonly uploads: Pick<UploadsService, 'remove'> }

/** Ends the uploads in progress of a link that has ended, and frees the room that they reserved. */
async function endUploads({ pool, uploads }: EndDeps, userId: string, linkId: string): Promise<void> {
  for (const id of await openUploadsOf(pool, linkId)) {
    await uploads.remove({ userId, sessionId: null }, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error
    })
  }
  await reconcileClaims(pool, linkId, null)
}

/** Ends expired links with their uploads, and reconciles claims that a crash has left. */
export async function endDueUploadLinks(deps: ShareChangeDeps & EndDeps, signal: AbortSignal): Promise<void> {
  for (const { id, userId } of await endDueLinks(deps, signal)) await endUploads(deps, userId, id)
  await reconcileAllClaims(deps.pool, signal)
}
