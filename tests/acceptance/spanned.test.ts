import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Kind, MIB } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import { startWorld, type World } from './support/server.ts'

/** Two accounts at Google and one at Dropbox, 15 MiB each, pooled. */
const KINDS: readonly Kind[] = ['google', 'google', 'dropbox']
const QUOTA = 15 * MIB
const RANGES = 50

let world: World
let ada: Person
let accounts: { readonly kind: Kind; readonly email: string; readonly id: string }[]
let poolId: string

beforeAll(async () => {
  world = await startWorld()
  ada = await register(world.url)
  accounts = []
  for (const kind of KINDS) {
    const email = world.providers.addPerson(kind, QUOTA)
    accounts.push({ kind, email, id: await ada.connect(kind, email) })
  }
  poolId = await ada.pool(accounts.map(({ id }) => id))
})
afterAll(() => world?.close())

async function stored(name: string, bytes: Buffer) {
  const { body } = await expectStatus(201, ada.upload(name, bytes, poolId))
  return until(
    () => ada.file(body.id),
    ({ state }) => state === 'STORED',
  )
}

const objectsOf = ({ kind, email }: (typeof accounts)[number]) => world.providers.files(kind, email)

/** What lies at all accounts must be these contents and nothing else. */
async function expectObjects(pieces: readonly { accountId: string; bytes: Buffer }[]): Promise<void> {
  for (const account of accounts) {
    const found = (await objectsOf(account)).map((object) => object.sha256)
    const wanted = pieces.filter(({ accountId }) => accountId === account.id).map(({ bytes }) => sha256(bytes))
    expect(found.toSorted()).toEqual(wanted.toSorted())
  }
}

/** By all accounts together, as their providers say. */
const untilUsed = (bytes: number) =>
  until(
    async () => (await Promise.all(accounts.map(({ kind, email }) => world.providers.used(kind, email)))).reduce(sum),
    (used) => used === bytes,
  )
const sum = (a: number, b: number) => a + b

it('30 MiB go into three accounts of 15, come back whole and by ranges, and are removed at the providers', async () => {
  const [note, bytes] = [randomBytes(100_000), randomBytes(30 * MIB)]
  const neighbour = await stored('Holiday plan.bin', note)
  const large = await stored('Film.bin', bytes)

  expect(neighbour.copies).toEqual([expect.objectContaining({ state: 'STORED', pieces: [expect.anything()] })])
  const [copy] = large.copies
  expect(new Set(copy.pieces.map(({ accountId }: { accountId: string }) => accountId)).size).toBe(3)
  const slices = copy.pieces.map(
    ({ accountId, offset, size }: { accountId: string; offset: number; size: number }) => ({
      accountId,
      bytes: bytes.subarray(offset, offset + size),
    }),
  )
  await expectObjects([...slices, { accountId: neighbour.copies[0].accountId, bytes: note }])
  const paths = (await Promise.all(accounts.map(objectsOf))).flat().map(({ path }) => path)
  expect(paths.filter((path) => !path.startsWith('/Skypool/Parts/'))).toEqual(['/Skypool/Holiday plan.bin'])

  expect(await ada.read(large.id)).toEqual({ status: 200, size: bytes.length, sha256: sha256(bytes) })
  await Promise.all(
    Array.from({ length: RANGES }, async () => {
      const from = randomInt(bytes.length)
      const to = Math.min(bytes.length - 1, from + randomInt(3 * MIB))
      const part = await ada.readRange(large.id, from, to)
      expect(part.equals(bytes.subarray(from, to + 1)), `bytes ${from}-${to}`).toBe(true)
    }),
  )

  await expectStatus(204, ada.request('DELETE', `/api/v1/files/${large.id}?permanent=true`))
  await untilUsed(note.length)
  await expectObjects([{ accountId: neighbour.copies[0].accountId, bytes: note }])
  await expectStatus(204, ada.request('DELETE', `/api/v1/files/${neighbour.id}?permanent=true`))
  await untilUsed(0)
  await expectObjects([])
})

it('20 uploads at once for which there is 60 % of the room never take more than there is', async () => {
  const size = (3 * QUOTA * 100) / 60 / 20
  let mostPromised = 0
  let uploading = true
  const watching = (async () => {
    while (uploading) {
      const all = await Promise.all(accounts.map(({ id }) => ada.account(id)))
      for (const { quota } of all) mostPromised = Math.max(mostPromised, quota.usedBytes + quota.reservedBytes)
    }
  })()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? ada.upload : ada.uploadByTus)(`File ${index}.bin`, randomBytes(size), poolId),
    ),
  )
  uploading = false
  await watching

  const refused = answers.filter(({ status }) => status === 507)
  expect(answers.filter(({ status }) => status === 201 || status === 204)).toHaveLength(12)
  expect(refused).toHaveLength(8)
  for (const { body } of refused) {
    expect(body).toMatchObject({ code: 'STORAGE_FULL', neededBytes: expect.any(Number), freeBytes: expect.any(Number) })
    expect(body.neededBytes).toBeGreaterThan(body.freeBytes)
    expect(body.neededBytes).toBeLessThanOrEqual(size)
  }
  expect(mostPromised).toBeLessThanOrEqual(QUOTA)
  const { items } = await until(
    async () => (await ada.request('GET', '/api/v1/files?home=POOL')).body,
    (page) => page.items.every(({ state }: { state: string }) => state === 'STORED'),
  )
  expect(items).toHaveLength(12)
  expect(world.providers.uploads().filter(({ status }) => status >= 400)).toEqual([])
})
