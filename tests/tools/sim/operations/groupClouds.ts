import type { GroupCloud } from '../../../../server/domain/groupClouds/contract.ts'
import type { Chance } from '../random.ts'
import type { World } from '../world.ts'
import { NOTHING, type Operation } from './operation.ts'

async function pickGroupCloud(world: World, chance: Chance): Promise<GroupCloud | undefined> {
  return chance.pick(await world.server.groupClouds.list(world.viewer))
}

export const copies: Operation = async (world, chance) => {
  const groupCloud = await pickGroupCloud(world, chance)
  if (!groupCloud) return NOTHING
  const wanted = chance.between(1, 3)
  await world.server.groupClouds.update(world.viewer, groupCloud.id, { copies: wanted })
  return `${groupCloud.name}: ${wanted} copies`
}

export const rules: Operation = async (world, chance) => {
  const groupCloud = await pickGroupCloud(world, chance)
  if (!groupCloud) return NOTHING
  const placement = chance.oneOf(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'] as const)
  const spanning = chance.happens(0.7)
  await world.server.groupClouds.update(world.viewer, groupCloud.id, { placement, spanning })
  return `${groupCloud.name}: ${placement}${spanning ? ', spanning' : ''}`
}

/** Members come, change their order, and go where nothing is left on them. */
export const members: Operation = async (world, chance) => {
  const groupCloud = await pickGroupCloud(world, chance)
  const all = await world.server.accounts.list(world.viewer)
  if (!groupCloud) return NOTHING
  const isMember = new Set(groupCloud.members.map(({ accountId }) => accountId))
  const chosen = all.filter(({ id }) => chance.happens(isMember.has(id) ? 0.8 : 0.6))
  const accountIds = chosen.map(({ id }) => id).sort(() => chance.next() - 0.5)
  await world.server.groupClouds.update(world.viewer, groupCloud.id, { accountIds })
  return `${groupCloud.name}: ${chosen.map(({ name }) => name).join(', ')}`
}

export const drain: Operation = async (world, chance) => {
  const groupCloud = await pickGroupCloud(world, chance)
  const member = chance.pick(groupCloud?.members ?? [])
  if (!groupCloud || !member) return NOTHING
  const draining = chance.happens(0.7)
  await world.server.groupClouds.drain(world.viewer, groupCloud.id, member.accountId, draining)
  return `${groupCloud.name}: ${draining ? 'drains' : 'keeps'} ${nameOf(world, member.accountId)}`
}

function nameOf({ accounts }: World, id: string): string {
  return accounts.find((account) => account.id === id)?.subject ?? 'This server'
}
