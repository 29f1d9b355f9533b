import type { ClientBase } from 'pg'
import { saveManyBlockSums } from '../files/blockSums.ts'
import type { PlannedCopy } from '../groupClouds/placement.ts'
import type { Enqueue } from '../jobs.ts'
import { insertPlannedCopies } from '../transfers/insertPlanned.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { Committed, Draft } from './draft.ts'
import { copiesOf, type Layout } from './layout.ts'

type Made = { readonly draft: Draft; readonly layout: Layout; readonly value: Extract<Committed, { created: true }> }

/** Of files that were made: plans the copies that transfers make, and has those that had no room looked for again later. */
export async function planRest(client: ClientBase, enqueue: Enqueue, drafts: readonly Draft[]): Promise<void> {
  const made = drafts.flatMap((draft): Made[] => {
    const { layout, outcome } = draft
    return layout && outcome?.ok && outcome.value.created ? [{ draft, layout, value: outcome.value }] : []
  })
  await saveManyBlockSums(
    client,
    made.flatMap(({ draft: { item } }) => (item.sums ? [{ fileId: item.fileId, ...item.sums }] : [])),
  )
  await planCopies(
    client,
    enqueue,
    made.filter(({ layout }) => layout.sent.length > 0),
  )
  await settleShort(
    client,
    enqueue,
    made.filter(({ layout }) => layout.plan.missingCopies > 0),
  )
}

async function planCopies(client: ClientBase, enqueue: Enqueue, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return
  const planned = await insertPlannedCopies(
    client,
    enqueue,
    made.map(({ draft: { item }, layout }) => {
      return { userId: item.userId, fileId: item.fileId, kind: 'STORE', copies: layout.sent }
    }),
  )
  for (const [index, { draft, layout, value }] of made.entries()) {
    const ids = new Map<PlannedCopy, string | undefined>(
      layout.sent.map((copy, at) => [copy, planned[index]?.copyIds[at]]),
    )
    const adoptedId = value.copies.find(({ state }) => state === 'STORED')?.id
    const copies = copiesOf(layout, value.createdAt, (copy) => ids.get(copy) ?? adoptedId ?? '')
    draft.outcome = { ok: true, value: { ...value, copies } }
  }
}

async function settleShort(client: ClientBase, enqueue: Enqueue, made: readonly Made[]): Promise<void> {
  const byUser = new Map<string, string[]>()
  for (const { draft } of made) {
    byUser.set(draft.item.userId, [...(byUser.get(draft.item.userId) ?? []), draft.item.fileId])
  }
  for (const [userId, fileIds] of byUser) await enqueueSettle(client, enqueue, { userId, fileIds })
}
