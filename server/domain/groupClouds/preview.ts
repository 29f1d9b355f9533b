import type { PlacementPreview } from '../services.ts'
import type { GroupCloudMembers } from './members.ts'
import { type PlannedCopy, planCopies } from './placement.ts'

/** Where a file of `size` bytes would go, for people. */
export function previewOf(groupCloud: GroupCloudMembers, size: number): PlacementPreview {
  const plan = planCopies(groupCloud.members, size, groupCloud)
  if (!plan.placed) return { placed: false, why: plan.why, copies: [] }
  const [first] = plan.copies
  const whys = plan.copies.map(({ why }, index) => `Copy ${index + 1}: ${why}.`)
  const why = groupCloud.copies === 1 ? `${first?.why ?? ''}.` : [...whys, plan.missingWhy ?? []].flat().join(' ')
  return { placed: true, why, copies: plan.copies.map((copy) => ({ pieces: byAccount(copy) })) }
}

/** A spanned copy may have hundreds of pieces: each account once, with all that it takes. */
function byAccount({ pieces }: PlannedCopy): { accountId: string; size: number }[] {
  const sizes = new Map<string, number>()
  for (const { accountId, size } of pieces) sizes.set(accountId, (sizes.get(accountId) ?? 0) + size)
  return [...sizes].map(([accountId, size]) => ({ accountId, size }))
}
