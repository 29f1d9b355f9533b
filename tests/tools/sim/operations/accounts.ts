import type { SimAccount } from '../scenery.ts'
import type { World } from '../world.ts'
import { NOTHING, type Operation, ORIGIN } from './operation.ts'

/** Through the front door, as the consent page sends people back. Connects, or brings a disconnected or expired account back. */
export async function connectAccount({ server, viewer }: World, account: SimAccount, again: boolean): Promise<void> {
  const { cloud, subject } = account
  const { kind } = cloud.service
  const accountId = again && account.id !== null ? account.id : undefined
  const { url, state } = await server.accounts.authorize(viewer, kind, ORIGIN, accountId)
  const { searchParams } = new URL(url)
  const code = cloud.consent(subject, searchParams.get('code_challenge') ?? '', searchParams.get('redirect_uri') ?? '')
  const connected = accountId
    ? await server.accounts.reconnect(viewer, accountId, { code, state }, ORIGIN)
    : await server.accounts.connect(viewer, kind, { code, state, name: subject }, ORIGIN)
  account.id = connected.id
}

export const disconnect: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  if (!account?.id) return NOTHING
  world.disconnected.add(account.subject)
  await world.server.accounts.disconnect(world.viewer, account.id, chance.happens(0.5))
  return account.subject
}

/** Whatever it is: never connected, expired or disconnected. */
export const connect: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  if (!account) return NOTHING
  const shown = await world.server.accounts.getMany(world.viewer, account.id === null ? [] : [account.id])
  await connectAccount(world, account, Boolean(shown[0]))
  return account.subject
}

/** The person takes our access away, or only the access token ends. */
export const loseAccess: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  if (!account) return NOTHING
  const permanently = chance.happens(0.4)
  if (permanently) account.cloud.takeAccess(account.subject)
  else account.cloud.endAccess(account.subject)
  return `${account.subject}${permanently ? ' permanently' : ''}`
}

export const outage: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  if (!account) return NOTHING
  const { outages } = world.faults
  if (outages.delete(account.subject)) return `${account.subject} is back`
  outages.add(account.subject)
  return `${account.subject} is away`
}

export const quota: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  if (!account) return NOTHING
  const bytes = chance.between(0, 12) * 1024 * 1024
  account.cloud.setQuota(account.subject, bytes)
  return `${account.subject} has ${bytes} bytes`
}

/** Another program deletes or overwrites one of our objects at the provider. */
export const tamper: Operation = async (world, chance) => {
  const account = chance.pick(world.accounts)
  const foreign = new Set<string>(world.foreign.flatMap((object) => (object.account === account ? [object.ref] : [])))
  const ours = account?.cloud.objects(account.subject).filter(({ kind, ref }) => kind === 'file' && !foreign.has(ref))
  const object = chance.pick(ours ?? [])
  if (!account || !object) return NOTHING
  world.tampered.add(`${account.subject} ${object.ref}`)
  if (chance.happens(0.5)) account.cloud.tree(account.subject).remove(object.ref)
  else account.cloud.overwrite(account.subject, object.ref, Buffer.from('something else'))
  return `${object.name} of ${account.subject}`
}
