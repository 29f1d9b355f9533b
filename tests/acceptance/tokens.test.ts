import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../../server/serve.ts'
import { type Kind, MIB } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import { startWorld, type World } from './support/server.ts'

const REFRESHES: Readonly<Record<Kind, string>> = { google: 'oauth.token.refresh', dropbox: 'oauth2/token' }
const CALLS = 50

let world: World
let another: RunningServer
let ada: Person

beforeAll(async () => {
  world = await startWorld()
  another = await world.startAnother()
  ada = await register(world.url)
})
afterAll(async () => {
  await another?.close()
  await world?.close()
})

it.each<Kind>(['google', 'dropbox'])(
  '%s: 50 calls at once on an expired token, to two servers, refresh it once',
  async (kind) => {
    const email = world.providers.addPerson(kind, 100 * MIB)
    const accountId = await ada.connect(kind, email)
    const bytes = randomBytes(2 * MIB)
    const { body } = await expectStatus(201, ada.upload('Notes.bin', bytes, await ada.pool([accountId])))
    await until(
      () => ada.file(body.id),
      ({ state }) => state === 'STORED',
    )
    if (kind === 'google') await world.providers.command(kind, 'rotation', { on: true })
    await world.providers.command(kind, 'expireAccessTokens', { user: email })
    world.providers.resetLog()
    const step = bytes.length / CALLS
    await Promise.all(
      Array.from({ length: CALLS }, async (_, index) => {
        const [from, to] = [Math.floor(index * step), Math.floor((index + 1) * step) - 1]
        const part = await ada.readRange(body.id, from, to, index % 2 === 0 ? world.url : another.url)
        expect(part.equals(bytes.subarray(from, to + 1))).toBe(true)
      }),
    )
    const calls = world.providers.log().filter(({ user }) => user === email)
    expect(calls.filter(({ operation }) => operation === REFRESHES[kind])).toHaveLength(1)
    expect(calls.filter(({ status }) => status === 401).length).toBeGreaterThan(1)
    expect(await ada.account(accountId)).toMatchObject({ status: 'CONNECTED' })
  },
)

it.each<Kind>(['google', 'dropbox'])(
  '%s: revoked in the middle of a transfer it waits, says so, and goes on after a reconnect',
  async (kind) => {
    const others = ['google', 'dropbox'] as const
    const members = [...others, kind].map((of) => ({ kind: of, email: world.providers.addPerson(of, 20 * MIB) }))
    const ids = await Promise.all(members.map((member) => ada.connect(member.kind, member.email)))
    const [first, second, victim] = members
    const victimId = ids[2] ?? ''
    if (!first || !second || !victim) throw new Error('There are three members.')
    world.providers.throttle(kind, victim.email, 2 * MIB)
    const bytes = randomBytes(44 * MIB)
    const { body } = await expectStatus(201, ada.upload('Film.bin', bytes, await ada.pool(ids)))
    await until(
      async () => (await ada.file(body.id)).copies[0].pieces,
      (pieces) =>
        pieces.every(
          ({ accountId, state }: { accountId: string; state: string }) => accountId === victimId || state === 'STORED',
        ),
    )
    await world.providers.command(kind, 'revokeUser', { user: victim.email })
    world.providers.throttle(kind, victim.email, null)

    const parked = await until(
      () => ada.transfer(body.id),
      ({ state }) => state === 'PARKED',
      60,
    )
    expect(parked.error).toContain(`Please connect “${victim.email}” again`)
    expect(await ada.account(victimId)).toMatchObject({
      status: 'EXPIRED',
      statusReason: expect.stringMatching(/re-connect/),
    })
    expect(await ada.file(body.id)).toMatchObject({
      state: 'AT_RISK',
      stateReason: `It waits on this server: ${parked.error}`,
    })
    expect(await ada.read(body.id)).toMatchObject({ status: 200, sha256: sha256(bytes) })

    const before = [first, second].map(({ email }) => world.providers.bytesTaken(email))
    await ada.reconnect(kind, victim.email, victimId)
    const stored = await until(
      () => ada.file(body.id),
      ({ state }) => state === 'STORED',
      60,
    )
    expect([first, second].map(({ email }) => world.providers.bytesTaken(email))).toEqual(before)
    const pieces = stored.copies[0].pieces.filter(({ accountId }: { accountId: string }) => accountId === victimId)
    const held = pieces.reduce((sum: number, { size }: { size: number }) => sum + size, 0)
    // What was under way may come twice, and no more than that.
    expect(world.providers.bytesTaken(victim.email)).toBeLessThanOrEqual(2 * held)
    expect(await world.providers.used(kind, victim.email)).toBe(held)
    expect(await ada.read(body.id)).toMatchObject({ status: 200, sha256: sha256(bytes) })
  },
)
