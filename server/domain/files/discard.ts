import type { Change } from './change.ts'
import { lockAccounts, purgeEntries } from './purge.ts'
import { trashEntries } from './trash.ts'
import { ancestry, chainOf } from './tree.ts'

/** Into the trash; what is there already, by itself or below something, for good. @throws NotFoundError */
export async function discardEntry(change: Change, id: string): Promise<void> {
  await lockAccounts(change)
  const isLive = chainOf(await ancestry(change, [id]), id).every(({ live }) => live)
  await (isLive ? trashEntries(change, [id]) : purgeEntries(change, [id]))
}
