import type { Db } from '../../db/client.ts'
import type { Prisma } from '../../db/generated/prisma/client.ts'
import { newId } from '../../lib/ids.ts'
import { NotFoundError } from '../errors.ts'
import { claimKey, fingerprintOf } from '../idempotency.ts'
import type { GroupCloudInput, GroupCloudsService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { placeFile } from './placement.ts'
import { visibleTo } from './policy.ts'
import { type GroupCloudRow, inListOrder, toCandidates, toGroupCloud, WITH_MEMBERS } from './rows.ts'
import { changeGroupCloud, deleteGroupCloud, insertGroupCloud, lockGroupClouds } from './write.ts'

export type GroupCloudsDeps = { readonly db: Db }

export function createGroupCloudsService({ db }: GroupCloudsDeps): GroupCloudsService {
  const read = async (viewer: Viewer, id: string) => toGroupCloud(await requireRow(db, viewer, id))

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
        if (!existing) await insertGroupCloud(tx, viewer, newcomer, input)
        return existing ?? newcomer
      })
      return read(viewer, id)
    },

    async update(viewer, id, input) {
      await db.$transaction(async (tx) => {
        await lockGroupClouds(tx, viewer)
        await changeGroupCloud(tx, viewer, await requireRow(tx, viewer, id), input)
      })
      return read(viewer, id)
    },

    async remove(viewer, id) {
      await db.$transaction(async (tx) => {
        await lockGroupClouds(tx, viewer)
        await deleteGroupCloud(tx, await requireRow(tx, viewer, id))
      })
    },

    async nextPlacement(viewer, id) {
      const row = await requireRow(db, viewer, id)
      return placeFile(toCandidates(row), 1, row.placement, await previousAccountId(db, row)).why
    },
  }
}

/** @throws NotFoundError */
async function requireRow(db: Prisma.TransactionClient, viewer: Viewer, id: string): Promise<GroupCloudRow> {
  const row = await db.groupCloud.findFirst({ where: { id, ...visibleTo(viewer) }, include: WITH_MEMBERS })
  if (!row) throw new NotFoundError()
  return row
}

/** What an earlier request under the same key made; null when this one is the first, or has no key. */
async function earlierResult(
  tx: Prisma.TransactionClient,
  viewer: Viewer,
  input: GroupCloudInput,
  resultId: string,
  key: string | undefined,
): Promise<string | null> {
  if (key === undefined) return null
  const { name, accountIds = null, placement = null, copies = null, spanning = null, defaultUploadGroup = null } = input
  const fingerprint = fingerprintOf([name, JSON.stringify(accountIds), placement, copies, spanning, defaultUploadGroup])
  const claim = { userId: viewer.userId, key, operation: 'createGroupCloud', fingerprint, resultId }
  return claimKey((text, values) => tx.$queryRawUnsafe(text, ...values), claim)
}

/** The account that took the newest piece of a group cloud: only a group cloud that takes turns asks. */
async function previousAccountId(db: Db, row: GroupCloudRow): Promise<string | null> {
  if (row.placement !== 'ROUND_ROBIN') return null
  const newest = await db.piece.findFirst({
    where: { copy: { file: { groupCloudId: row.id } } },
    orderBy: { id: 'desc' },
    select: { accountId: true },
  })
  return newest?.accountId ?? null
}
