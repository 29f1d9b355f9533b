import { createHash } from 'node:crypto'
import type pg from 'pg'
import { transaction } from '../../server/db/pool.ts'
import { createBlockSummer, saveBlockSums } from '../../server/domain/files/content/blockSums.ts'
import { lockAccounts } from '../../server/domain/files/tree/change.ts'
import { nameKey, searchKey, sortKey } from '../../server/domain/files/tree/names.ts'
import { planCopies } from '../../server/domain/groupClouds/placement.ts'
import type { Enqueue } from '../../server/domain/jobs.ts'
import { insertPlannedCopies, loadPools } from '../../server/domain/transfers/planning.ts'
import { newId } from '../../server/lib/ids.ts'
import type { ObjectStore } from '../../server/storage/objectStore.ts'

export type Received = {
  readonly fileId: string
  readonly stagedRef: string
  readonly transferIds: readonly string[]
}

type Deps = { readonly pool: pg.Pool; readonly store: ObjectStore; readonly enqueue: Enqueue }
type Content = {
  readonly userId: string
  readonly groupCloudId: string
  readonly content: Buffer
  readonly name: string
  /** The file that it is a copy of. */
  readonly copiedFrom?: string | undefined
}

const RULES = { placement: 'IN_ORDER', copies: 1, spanning: true } as const

/** A file as intake leaves it that adopts nothing: staged, with all its copies planned. */
export async function createReceived({ pool, store, enqueue }: Deps, received: Content): Promise<Received> {
  const { userId, groupCloudId, content } = received
  const [fileId, stagedRef] = [newId(), await putObject(store, content)]
  const planned = await transaction(pool, async (tx) => {
    await lockAccounts({ tx, userId })
    await insertFile(tx, { ...received, fileId, stagedRef })
    const pools = await loadPools(tx, [groupCloudId])
    const { members, rules } = pools.get(groupCloudId) ?? { members: [], rules: RULES }
    const plan = planCopies(members, content.length, rules)
    const copies = plan.placed ? plan.copies : []
    return insertPlannedCopies(tx, enqueue, [{ userId, fileId, kind: 'STORE', copies }])
  })
  return { fileId, stagedRef, transferIds: planned.flatMap(({ transferIds }) => transferIds) }
}

type Row = Content & { readonly fileId: string; readonly stagedRef: string }

async function insertFile(tx: pg.ClientBase, { fileId, stagedRef, ...file }: Row): Promise<void> {
  const { userId, groupCloudId, content, name, copiedFrom = null } = file
  const keys = [nameKey(name), sortKey(name), searchKey(name)]
  const hash = createHash('sha256').update(content).digest()
  await tx.query(
    `insert into files (id, user_id, kind, name, name_key, sort_key, search_key, category, size, sha256, state,
       group_cloud_id, staged_ref, copied_from) values ($1, $2, 'FILE', $3, $4, $5, $6, 'OTHER', $7, $8, 'RECEIVED', $9, $10, $11)`,
    [fileId, userId, name, ...keys, content.length, hash, groupCloudId, stagedRef, copiedFrom],
  )
  const summer = createBlockSummer(content.length)
  summer.update(content)
  await saveBlockSums(tx, fileId, summer.result())
}

async function putObject(store: ObjectStore, content: Buffer): Promise<string> {
  const objectId = newId()
  const writer = await store.stage(objectId, 0)
  await writer.write(content)
  await writer.sync()
  await writer.close()
  await store.publish(objectId)
  return objectId
}
