import type { Pool } from 'pg'
import type { Db } from '../../db/client.ts'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import { newId } from '../../lib/ids.ts'
import { roomOf } from '../accounts/quotas.ts'
import { visibleTo as accountsOf } from '../accounts/rows.ts'
import { NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import { claimKey, fingerprintOf } from '../idempotency/keys.ts'
import { type Enqueue, enqueueReconcile } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import {
  checkedSize,
  type GroupCloudInput,
  type GroupCloudRow,
  type GroupCloudsService,
  inListOrder,
  type PlacementPreview,
  readHealth,
  toGroupCloud,
  visibleTo,
  WITH_MEMBERS,
} from './contract.ts'
import { type AccountLabel, findMembers, type GroupCloudMembers, withTurns } from './members.ts'
import { type PlannedCopy, planCopies } from './placement.ts'
import {
  changeDraining,
  changeGroupCloud,
  insertGroupCloud,
  lockGroupClouds,
  type PoolReason,
  removeGroupCloud,
} from './write.ts'

export type GroupCloudsDeps = {
  readonly db: Db
  readonly pool: Pool
  readonly events: Events
  readonly enqueue: Enqueue
  /** How reasons name accounts; by default without the provider. */
  readonly accountLabel?: AccountLabel | undefined
  readonly poolReason?: PoolReason | undefined
}

const NEW_MEMBER = { keepFreeBytes: 0, draining: false, allowOnlyCopy: false }
const NO_REASON: PoolReason = () => null

export function createGroupCloudsService(deps: GroupCloudsDeps): GroupCloudsService {
  const { db, pool, events, enqueue, poolReason = NO_REASON } = deps
  const read = async (viewer: Viewer, id: string) => toGroupCloud(await requireRow(db, viewer, id))

  /** Makes clients reload group clouds; no account has changed. */
  const publishChange = ({ userId }: Viewer) => events.publish('accountsChanged', userId, { accountIds: [] })

  /** Serialised per user. Queues reconciling in the same transaction if `work` returns true. */
  async function change(viewer: Viewer, id: string, work: ChangeWork): Promise<void> {
    await db.$transaction(async (tx) => {
      await lockGroupClouds(tx, viewer)
      const needsReconciling = await work(tx, await requireRow(tx, viewer, id))
      if (!needsReconciling) return
      await endWaiting(tx, id)
      await enqueueReconcile(tx, enqueue, { userId: viewer.userId, groupCloudId: id })
    })
    publishChange(viewer)
  }

  async function previewPlacements({ userId }: Viewer, questions: readonly { id: string; size: number }[]) {
    for (const { size } of questions) checkedSize(size)
    const found = await findMembers(
      pool,
      questions.map(({ id }) => ({ userId, id })),
      deps.accountLabel,
    )
    const known = found.flatMap((one) => (one ? [[one.groupCloudId, one] as const] : []))
    const turns = await withTurns(pool, new Map(known))
    return questions.map(({ id, size }) => {
      const members = turns.get(id)
      return members ? previewOf(members, size) : null
    })
  }

  return {
    async list(viewer) {
      const rows = await db.groupCloud.findMany({ where: visibleTo(viewer), include: WITH_MEMBERS })
      return rows.map(toGroupCloud).sort(inListOrder)
    },

    async getMany(viewer, ids) {
      const where = { id: { in: [...ids] }, ...visibleTo(viewer) }
      const rows = await db.groupCloud.findMany({ where, include: WITH_MEMBERS })
      const byId = new Map(rows.map((row) => [row.id, toGroupCloud(row)]))
      return ids.map((id) => byId.get(id) ?? null)
    },

    async create(viewer, input, idempotencyKey) {
      const id = await db.$transaction(async (tx) => {
        await lockGroupClouds(tx, viewer)
        const newcomer = newId()
        const existing = await earlierResult(tx, viewer, input, newcomer, idempotencyKey)
        if (!existing) await insertGroupCloud(tx, viewer, newcomer, input, poolReason)
        return existing ?? newcomer
      })
      publishChange(viewer)
      return read(viewer, id)
    },

    async update(viewer, id, patch) {
      await change(viewer, id, (tx, row) => changeGroupCloud(tx, viewer, row, patch, poolReason))
      return read(viewer, id)
    },

    async drain(viewer, id, accountId, draining) {
      await change(viewer, id, (tx, row) => changeDraining(tx, row, accountId, draining))
      return read(viewer, id)
    },

    async remove(viewer, id, files, idempotencyKey) {
      await removeGroupCloud(deps, viewer, id, files, idempotencyKey)
      publishChange(viewer)
    },

    async roomWith(viewer, id, accountId) {
      const { copies, members } = await requireRow(db, viewer, id)
      const account = await db.account.findFirst({ where: { id: accountId, ...accountsOf(viewer) } })
      if (!account) throw new NotFoundError()
      const others = members.filter((member) => member.accountId !== accountId)
      const joined = members.find((member) => member.accountId === accountId) ?? NEW_MEMBER
      return roomOf({ copies, members: [...others, { ...joined, accountId, account }] })
    },

    health: (viewer, ids) => readHealth(pool, viewer, ids),

    async previewPlacement(viewer, id, size) {
      const [preview] = await previewPlacements(viewer, [{ id, size }])
      if (!preview) throw new NotFoundError()
      return preview
    },

    previewPlacements,
  }
}

/** Resolves with whether files have to be reconciled. */
type ChangeWork = (tx: Prisma.TransactionClient, row: GroupCloudRow) => Promise<boolean>

/** Makes parked transfers due, because there may be room or an account for them now; reconciling resumes them. */
async function endWaiting(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await tx.$executeRaw`update transfers t set next_try_at = to_timestamp(0) from files f
    where f.id = t.file_id and f.group_cloud_id = ${id}::uuid and t.state = 'PARKED' and t.next_try_at is not null`
}

/** @throws NotFoundError */
async function requireRow(db: Prisma.TransactionClient, viewer: Viewer, id: string): Promise<GroupCloudRow> {
  const row = await db.groupCloud.findFirst({ where: { id, ...visibleTo(viewer) }, include: WITH_MEMBERS })
  if (!row) throw new NotFoundError()
  return row
}

/** The id that an earlier request with the same idempotency key created; null for the first one, or without a key. */
async function earlierResult(
  tx: Prisma.TransactionClient,
  viewer: Viewer,
  input: GroupCloudInput,
  resultId: string,
  key: string | undefined,
): Promise<string | null> {
  if (key === undefined) return null
  const { name, accountIds = null, placement = null, copies = null, spanning = null, defaultUploadGroup = null } = input
  const allowed = input.allowOnlyCopy ? [JSON.stringify(input.allowOnlyCopy)] : []
  const settings = [name, JSON.stringify(accountIds), placement, copies, spanning, defaultUploadGroup, ...allowed]
  const fingerprint = fingerprintOf(settings)
  const claim = { userId: viewer.userId, key, operation: 'createGroupCloud', fingerprint, resultId }
  return claimKey((text, values) => tx.$queryRawUnsafe(text, ...values), claim)
}

/** Where a file of `size` bytes would be placed, as shown to people. */
function previewOf(groupCloud: GroupCloudMembers, size: number): PlacementPreview {
  const plan = planCopies(groupCloud.members, size, groupCloud)
  if (!plan.placed) return { placed: false, why: plan.why, copies: [] }
  const [first] = plan.copies
  const whys = plan.copies.map(({ why }, index) => `Copy ${index + 1}: ${why}.`)
  const why = groupCloud.copies === 1 ? `${first?.why ?? ''}.` : [...whys, plan.missingWhy ?? []].flat().join(' ')
  return { placed: true, why, copies: plan.copies.map((copy) => ({ pieces: byAccount(copy) })) }
}

/** Each account once, with the sum of its pieces: a spanned copy may have hundreds. */
function byAccount({ pieces }: PlannedCopy): { accountId: string; size: number }[] {
  const sizes = new Map<string, number>()
  for (const { accountId, size } of pieces) sizes.set(accountId, (sizes.get(accountId) ?? 0) + size)
  return [...sizes].map(([accountId, size]) => ({ accountId, size }))
}
