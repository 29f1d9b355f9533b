import { transaction } from '../../db/pool.ts'
import { networkOf } from '../../lib/addresses.ts'
import { createGroupedRead } from '../../lib/concurrency.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { RequestLimits } from '../../lib/limits.ts'
import { WrongPasswordError } from '../errors.ts'
import { createPasswords, createThrottle, type ThrottleRule } from '../users/passwords.ts'
import { createShare, revokeShare, revokeSharesOfCopy, updateShare } from './changes.ts'
import { getShares, listShares, requireShare, type Share, type SharesService, sharesOfFiles } from './contract.ts'
import { type DownloadDeps, openDownload, openPicture, type PictureDeps } from './downloads.ts'
import { makeProviderLink, moveLinkEnd, type ProviderLinkDeps } from './providerLinks.ts'
import {
  createGate,
  createProofs,
  createRequestRate,
  describeShare,
  listShared,
  monthsOfShared,
  type VisitDeps,
} from './visits.ts'
import { createShareLog, createWatch, type ShareLogDeps } from './watch.ts'

export const GUESSES_PER_SHARE: ThrottleRule = { limit: 10, windowSeconds: 300, longestDelaySeconds: 900 }
export const GUESSES_PER_NETWORK: ThrottleRule = { limit: 20, windowSeconds: 60, longestDelaySeconds: null }

const REPORTS_PER_NETWORK: ThrottleRule = { limit: 5, windowSeconds: 3600, longestDelaySeconds: null }
/** Limits the mails to the owner of a link. */
const REPORTS_PER_SHARE: ThrottleRule = { limit: 5, windowSeconds: 86_400, longestDelaySeconds: null }

export type SharesDeps = Pick<DownloadDeps, 'pool' | 'events' | 'enqueue' | 'contents' | 'serverId'> &
  Omit<ProviderLinkDeps, 'pool'> &
  Pick<VisitDeps, 'opened'> &
  Pick<PictureDeps, 'thumbnails'> &
  ShareLogDeps & {
    readonly encryption: Pick<Encryption, 'sign' | 'verify'>
    /** Of all servers. Absent: this process is the only one. */
    readonly limits?: RequestLimits | null
  }

export function createSharesService(given: SharesDeps): SharesService {
  const { pool } = given
  const passwords = createPasswords()
  const throttle = createThrottle(pool)
  const proofs = createProofs(given.encryption)
  const rate = createRequestRate(given.limits ?? null)
  const gate = createGate({ pool, rate, proofs })
  const watch = createWatch({ pool })
  const log = createShareLog(given)
  const deps = { ...given, passwords, gate, rate, watch, log }
  const ofFiles = createGroupedRead<Share[]>((userId, fileIds) => sharesOfFiles(pool, { userId }, fileIds))

  return {
    async create(viewer, input, idempotencyKey) {
      const { id, isNew } = await createShare(deps, viewer, input, idempotencyKey)
      if (isNew) log.owner(viewer, 'SHARE_CREATED', id)
      const providerNote = isNew && input.providerLink ? await makeProviderLink(deps, id, input) : null
      return { ...(await requireShare(pool, viewer, id)), providerNote }
    },
    list: (viewer, options) => listShares(pool, viewer, options),
    getMany: (viewer, ids) => getShares(pool, viewer, ids),
    ofFiles: ({ userId }, fileIds) => ofFiles(userId, fileIds),
    async update(viewer, id, patch) {
      await updateShare(deps, viewer, id, patch)
      log.owner(viewer, 'SHARE_CHANGED', id)
      void watch.check()
      if (patch.expiresAt !== undefined) await moveLinkEnd(deps, id)
      return requireShare(pool, viewer, id)
    },
    async revoke(viewer, id) {
      if (await revokeShare(deps, viewer, id)) log.owner(viewer, 'SHARE_REVOKED', id)
      void watch.check()
      return requireShare(pool, viewer, id)
    },
    async revokeOfCopy(viewer, fileId, copyId) {
      for (const id of await revokeSharesOfCopy(deps, viewer, fileId, copyId)) log.owner(viewer, 'SHARE_REVOKED', id)
      void watch.check()
    },

    async visit(visitor, id) {
      const share = await gate.find(visitor, id)
      if (!gate.isUnlocked(visitor, share)) return { id, needsPassword: true }
      log.opened(visitor, share)
      return describeShare(deps, share)
    },
    async unlock(visitor, id, password) {
      const share = await gate.find(visitor, id)
      if (share.passwordHash === null) return proofs.issue(share, share.now)
      const known = proofs.visitorOf(share, visitor.proof)
      const rules: [key: string, rule: ThrottleRule][] = known
        ? [[`share:${id}:${known}`, GUESSES_PER_SHARE]]
        : [
            [`share-network:${networkOf(visitor.address)}`, GUESSES_PER_NETWORK],
            [`share:${id}`, GUESSES_PER_SHARE],
          ]
      for (const [key, rule] of rules) await throttle.take(key, rule)
      if (!(await passwords.verify(share.passwordHash, password))) {
        log.refused(visitor, share)
        throw new WrongPasswordError()
      }
      for (const [key] of rules) await throttle.refund(key)
      return proofs.issue(share, share.now)
    },
    async report(visitor, id, reason) {
      const share = await gate.findUnlocked(visitor, id)
      await throttle.take(`report-network:${networkOf(visitor.address)}`, REPORTS_PER_NETWORK)
      await throttle.take(`report-share:${id}`, REPORTS_PER_SHARE)
      log.reported(visitor, share, reason)
      await transaction(pool, (tx) =>
        given.enqueue(tx, 'mailNotice', { userId: share.userId, notice: 'SHARE_REPORTED' }),
      )
    },
    async listFiles(visitor, id, options) {
      return listShared(deps, await gate.findUnlocked(visitor, id), options)
    },
    async photoMonths(visitor, id, folderId) {
      return monthsOfShared(pool, await gate.findUnlocked(visitor, id), folderId)
    },
    open: (visitor, id, options) => openDownload(deps, visitor, id, options),
    thumbnail: (visitor, id, options) => openPicture(deps, visitor, id, options),
  }
}
