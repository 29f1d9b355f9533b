import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Kind, MIB, type Providers, startProviders } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

let providers: Providers
let server: ServerProcess
let ada: Person

beforeAll(async () => {
  providers = await startProviders()
  server = await startProcess(providers.url)
  ada = await register(server.url)
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})

async function connect(kind: Kind, quotaBytes: number) {
  const email = providers.addPerson(kind, quotaBytes)
  return { kind, email, id: await ada.connect(kind, email) }
}

type Piece = { accountId: string; offset: number; size: number; state: string }

const untilStored = (fileId: string) =>
  until(
    () => ada.file(fileId),
    ({ state }) => state === 'STORED',
    60,
  )

it.each([
  ['keeps its refresh token', false],
  ['gives a new refresh token with every refresh', true],
])(
  'killed between a refresh and its commit, an account of a provider that %s is never silently dead',
  async (_, on) => {
    const { email, id } = await connect('google', 100 * MIB)
    const bytes = randomBytes(MIB)
    const { body } = await expectStatus(201, ada.upload('Notes.bin', bytes, await ada.pool([id])))
    await untilStored(body.id)

    await providers.command('google', 'rotation', { on })
    await providers.command('google', 'expireAccessTokens', { user: email })
    // The answer with the new tokens is on its way for seconds.
    providers.throttle('google', email, 400)
    const reading = ada.read(body.id).catch(() => null)
    await until(
      () => providers.command<{ access: number }>('google', 'tokens', { user: email }),
      ({ access }) => access === 1,
      30,
    )
    await server.killAndStart()
    await reading
    providers.throttle('google', email, null)
    await providers.command('google', 'rotation', { on: false })

    const first = await ada.read(body.id)
    const account = await ada.account(id)
    if (on) {
      expect(first.status).toBe(503)
      expect(account).toMatchObject({ status: 'EXPIRED', statusReason: expect.stringMatching(/re-connect/) })
      const file = await until(
        () => ada.file(body.id),
        ({ state }) => state === 'AT_RISK',
        30,
      )
      expect(file).toMatchObject({ stateReason: expect.stringContaining(email) })
      await ada.reconnect('google', email, id)
    } else expect(account).toMatchObject({ status: 'CONNECTED' })
    expect(await ada.read(body.id)).toEqual({ status: 200, size: MIB, sha256: sha256(bytes) })
    await untilStored(body.id)
  },
)

const slows: readonly Kind[] = ['google', 'dropbox']

it.each(slows)(
  'killed in the middle of sending to %s, it goes on without sending finished pieces again or leaving anything',
  async (kind) => {
    const accounts = [
      await connect('google', 20 * MIB),
      await connect(kind, 60 * MIB),
      await connect('dropbox', 20 * MIB),
    ]
    const [first, slow, third] = accounts
    if (!first || !slow || !third) throw new Error('There are three accounts.')
    const poolId = await ada.pool(accounts.map(({ id }) => id))
    const bytes = randomBytes(80 * MIB)
    providers.throttle(kind, slow.email, 6 * MIB)
    const { body } = await expectStatus(201, ada.upload('Film.bin', bytes, poolId))
    const isElsewhere = ({ accountId }: Piece) => accountId !== slow.id
    await until(
      async () => (await ada.file(body.id)).copies[0].pieces as Piece[],
      (pieces) => pieces.filter(isElsewhere).every(({ state }) => state === 'STORED'),
      60,
    )
    const unfinished = (await ada.file(body.id)).copies[0].pieces.filter(({ state }: Piece) => state === 'PLANNED')
    expect(unfinished.length).toBeGreaterThan(0)
    const before = accounts.map(({ email }) => providers.bytesTaken(email))
    await server.killAndStart()
    providers.throttle(kind, slow.email, null)

    const stored = await untilStored(body.id)
    const after = accounts.map(({ email }) => providers.bytesTaken(email))
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    const size = unfinished.reduce((sum: number, piece: Piece) => sum + piece.size, 0)
    expect((after[1] ?? 0) - (before[1] ?? 0)).toBeLessThanOrEqual(2 * size)
    expect(await ada.read(body.id)).toEqual({ status: 200, size: bytes.length, sha256: sha256(bytes) })
    for (const account of accounts) {
      const { id } = account
      const mine = stored.copies[0].pieces.filter(({ accountId }: Piece) => accountId === id)
      const wanted = mine.map((piece: Piece) => sha256(bytes.subarray(piece.offset, piece.offset + piece.size)))
      const objects = await providers.files(account.kind, account.email)
      expect(objects.map((object) => object.sha256).toSorted()).toEqual(wanted.toSorted())
    }
  },
)
