import type { ActivityEntry } from '../../services/activity.ts'
import type { AccountsService, GroupCloud, GroupCloudsService } from '../../services.ts'
import { type Changes, createOnce, type Say } from './say.ts'

type Reads = 'list' | 'getMany' | 'health' | 'roomWith' | 'previewPlacement' | 'previewPlacements'

/** The changes of the group clouds service, written down. */
export function recordGroupClouds(
  groupClouds: GroupCloudsService,
  accounts: Pick<AccountsService, 'getMany'>,
  say: Say,
): Changes<GroupCloudsService, Reads> {
  const once = createOnce()
  const about = ({ id, name }: GroupCloud): Pick<ActivityEntry, 'subject'> => ({
    subject: { type: 'GroupCloud', id, name },
  })

  return {
    async create(viewer, input, idempotencyKey) {
      const created = await groupClouds.create(viewer, input, idempotencyKey)
      const isNew = idempotencyKey === undefined || once(created.id)
      if (isNew) say(viewer, { action: 'GROUP_CLOUD_CREATED', ...about(created) })
      return created
    },
    async update(viewer, id, patch) {
      const [before] = await groupClouds.getMany(viewer, [id])
      const changed = await groupClouds.update(viewer, id, patch)
      const details = before && before.name !== changed.name ? { from: before.name } : {}
      say(viewer, { action: 'GROUP_CLOUD_CHANGED', ...about(changed), details })
      return changed
    },
    async drain(viewer, id, accountId, draining) {
      const [before] = await groupClouds.getMany(viewer, [id])
      const changed = await groupClouds.drain(viewer, id, accountId, draining)
      const member = before?.members.find((candidate) => candidate.accountId === accountId)
      const [account] = await accounts.getMany(viewer, [accountId]).catch(() => [])
      if (account && member?.draining !== draining) {
        const subject = { type: 'Account', id: accountId, name: account.name } as const
        const details = { groupCloud: changed.name, draining: String(draining) }
        say(viewer, { action: 'MEMBER_DRAINED', subject, details })
      }
      return changed
    },
    async remove(viewer, id, files) {
      const [before] = await groupClouds.getMany(viewer, [id])
      await groupClouds.remove(viewer, id, files)
      if (before) say(viewer, { action: 'GROUP_CLOUD_DELETED', ...about(before) })
    },
  }
}
