import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Fault, FaultKind } from '../fakes/core/faults.ts'
import { type Kind, MIB } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import { startWorld, type World } from './support/server.ts'

const SIZE = 40 * MIB
const QUOTA = 100 * MIB
const DOWNLOADS: Readonly<Record<Kind, string>> = { google: 'drive.files.download', dropbox: 'files/download' }

type Member = { readonly kind: Kind; readonly email: string; readonly id: string }

let world: World
let ada: Person
let members: readonly [Member, Member]
let poolId: string
let fileId: string
const bytes = randomBytes(SIZE)

beforeAll(async () => {
  world = await startWorld()
  ada = await register(world.url)
})
/** A file with one copy at Google and one at Dropbox, on accounts of which nothing bad is known. */
beforeEach(async () => {
  world.providers.clearFaults()
  members = [await connect('google'), await connect('dropbox')]
  poolId = await ada.pool(
    members.map(({ id }) => id),
    { copies: 2 },
  )
  fileId = (await expectStatus(201, ada.upload(`Film of ${poolId}.bin`, bytes, poolId))).body.id
  await untilState('STORED')
})
afterAll(() => world?.close())

async function connect(kind: Kind): Promise<Member> {
  const email = world.providers.addPerson(kind, QUOTA)
  return { kind, email, id: await ada.connect(kind, email) }
}

const untilState = (state: string, seconds?: number) =>
  until(
    () => ada.file(fileId),
    (file) => file.state === state,
    seconds,
  )

/** The member that downloads come from now, and one that has nothing to say. */
async function serving(): Promise<Member> {
  world.providers.resetLog()
  await ada.readRange(fileId, 0, MIB - 1)
  const { user } = world.providers.log().find(({ operation }) => Object.values(DOWNLOADS).includes(operation)) ?? {}
  const found = members.find(({ email }) => email === user)
  if (!found) throw new Error('Nobody was asked for the bytes.')
  return found
}

const LOOKS: Readonly<Record<Kind, string>> = { google: 'drive.files.get', dropbox: 'files/get_metadata' }

/** What was played, after the file came whole. */
async function readThrough(plan: (victim: Member) => readonly Fault[]): Promise<readonly string[]> {
  const faults = plan(await serving())
  world.providers.resetLog()
  for (const fault of faults) world.providers.plan(fault)
  expect(await ada.read(fileId)).toEqual({ status: 200, size: SIZE, sha256: sha256(bytes) })
  return world.providers.log().flatMap((call) => call.faults)
}

const cutting = ({ kind, email }: Member, megabytes: number): Fault => ({
  kind: 'cutDown',
  service: kind,
  user: email,
  operation: DOWNLOADS[kind],
  bytes: megabytes * MIB,
})

it.each<FaultKind>(['serverError', 'refuse'])(
  'a client notices nothing of an account that breaks off in the middle, with nothing but %s from then on',
  async (kind) => {
    const played = await readThrough((victim) => {
      const where = { kind, service: victim.kind, user: victim.email, count: 0 }
      const looks = { ...where, operation: LOOKS[victim.kind] }
      return [cutting(victim, 17), { ...where, operation: DOWNLOADS[victim.kind], after: 1 }, looks]
    })
    expect(played).toContain('cutDown')
    expect(played).toContain(kind)
  },
)

it('a client notices nothing of accounts that break off in turn', async () => {
  const played = await readThrough(() => members.flatMap((member) => [cutting(member, 3), cutting(member, 5)]))
  expect(played.filter((kind) => kind === 'cutDown').length).toBeGreaterThan(1)
})

it('a client gets no wrong byte that an account sends', async () => {
  const played = await readThrough(({ kind, email }) => [
    { kind: 'flip', service: kind, user: email, operation: DOWNLOADS[kind], at: 12 * MIB },
  ])
  expect(played).toContain('flip')
})

it('a deleted account is a reason given within a minute, reading goes on, and a new one gets its copies', async () => {
  const [gone, left] = members
  await world.providers.command(gone.kind, 'deleteAccount', { user: gone.email })
  const reading = ada.read(fileId)
  const atRisk = await untilState('AT_RISK', 60)
  expect(atRisk.stateReason).toContain(`“${gone.email}”`)
  expect(await reading).toMatchObject({ status: 200, sha256: sha256(bytes) })
  expect(await ada.account(gone.id)).toMatchObject({ status: 'EXPIRED' })
  expect(await ada.read(fileId)).toMatchObject({ status: 200, sha256: sha256(bytes) })

  const fresh = await connect('google')
  const accountIds = [...members, fresh].map(({ id }) => id)
  await expectStatus(200, ada.request('PATCH', `/api/v1/group-clouds/${poolId}`, { accountIds }))
  const healed = await untilState('STORED', 60)
  const readable = healed.copies.filter(({ accountId }: { accountId: string }) => accountId !== gone.id)
  expect(readable.map(({ state, accountId }: { state: string; accountId: string }) => [state, accountId])).toEqual(
    expect.arrayContaining([left, fresh].map(({ id }) => ['STORED', id])),
  )
  const objects = await world.providers.files(fresh.kind, fresh.email)
  expect(objects).toMatchObject([{ path: `/Skypool/Film of ${poolId}.bin`, sha256: sha256(bytes) }])
  await world.providers.command(left.kind, 'deleteAccount', { user: left.email })
  expect(await ada.read(fileId)).toMatchObject({ status: 200, sha256: sha256(bytes) })
})
