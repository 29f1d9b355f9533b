import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ProviderError } from '../../../server/providers/errors.ts'
import { refresh } from '../../../server/providers/layers/refresh.ts'
import type { Fault } from '../../fakes/memory/faults.ts'
import {
  call,
  contentOf,
  credentialStore,
  outcomeOf,
  progress,
  putBytes,
  readAll,
  setUp,
  transient,
} from './layersSetup.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const expired = (afterBytes?: number): Fault => ({
  kind: 'refused',
  code: 'AuthExpired',
  status: 401,
  ...(afterBytes === undefined ? {} : { afterBytes }),
})

function setUpRefresh() {
  const setup = setUp()
  const { store, state } = credentialStore(setup.credentials)
  const driver = refresh({ accountId: 'account-1', module: setup.module, store, clock: setup.clock })
  const count = (operation: string): number => setup.calls.filter((one) => one.operation === operation).length
  return { ...setup, driver, store, state, count }
}

describe('credentials of an account', () => {
  it('are read once, when they are needed', async () => {
    const { driver, state, count } = setUpRefresh()
    expect(state.reads).toBe(0)
    expect(driver.capabilities.hash).toBe('sha256')
    await Promise.all([driver.quota(call()), driver.identity(call()), driver.quota(call())])
    expect(state.reads).toBe(1)
    expect(count('refresh')).toBe(0)
  })

  it('are renewed five minutes before they end', async () => {
    const { driver, clock, count } = setUpRefresh()
    await clock.advance(HOUR - 5 * MINUTE - 1)
    await driver.quota(call())
    expect(count('refresh')).toBe(0)
    await clock.advance(1)
    await Promise.all([driver.quota(call()), driver.quota(call())])
    await driver.quota(call())
    expect(count('refresh')).toBe(1)
  })

  it('are used until they end where they cannot be renewed early', async () => {
    const { driver, clock, faults, count } = setUpRefresh()
    await driver.quota(call())
    await clock.advance(HOUR - 4 * MINUTE)
    faults.push(transient)
    await driver.quota(call())
    await driver.quota(call())
    expect(count('refresh')).toBe(1)
    await clock.advance(30_000)
    await driver.quota(call())
    expect(count('refresh')).toBe(2)
  })

  it('that have ended are not used, and a failing refresh is no expired account', async () => {
    const { driver, clock, faults, state, count } = setUpRefresh()
    await clock.advance(HOUR + 1)
    faults.push(transient, { kind: 'refused', code: 'Misconfigured' })
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'Transient' })
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'Misconfigured' })
    expect(state.expired).toEqual([])
    expect(count('quota')).toBe(0)
    await driver.quota(call())
  })

  it('that fifty calls find refused are renewed once', async () => {
    const { driver, cloud, state, count } = setUpRefresh()
    await driver.quota(call())
    cloud.endAccess('alice')
    await Promise.all(Array.from({ length: 50 }, () => driver.quota(call())))
    expect([count('refresh'), state.renewals]).toEqual([1, 1])
    expect(count('quota')).toBe(101)
  })

  it('that another process has renewed are taken from there', async () => {
    const { driver, cloud, state, count, module } = setUpRefresh()
    await driver.quota(call())
    cloud.endAccess('alice')
    state.stored = { credentials: cloud.signIn('alice'), version: 7 }
    await driver.quota(call())
    expect(count('refresh')).toBe(0)
    expect(module.kind).toBe('memory')
  })

  it('that another process has renewed, and that are refused by now like the first, are renewed', async () => {
    const { driver, cloud, state, count } = setUpRefresh()
    await driver.quota(call())
    state.stored = { credentials: cloud.signIn('alice'), version: 7 }
    cloud.endAccess('alice')
    await driver.quota(call())
    expect(state.expired).toEqual([])
    expect([count('quota'), count('refresh')]).toEqual([4, 1])
  })

  it('that are fresh and refused too end the account, with one try more and no call after that', async () => {
    const { driver, faults, state, count } = setUpRefresh()
    faults.push(expired(), null, expired())
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'ReconnectNeeded' })
    expect(state.expired).toHaveLength(1)
    expect([count('quota'), count('refresh')]).toEqual([2, 1])
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'ReconnectNeeded' })
    expect([count('quota'), count('refresh')]).toEqual([2, 1])
  })

  it('that were taken away end the account', async () => {
    const { driver, cloud, state, count } = setUpRefresh()
    await driver.quota(call())
    cloud.takeAccess('alice')
    const calls = await Promise.allSettled([1, 2, 3].map(() => driver.quota(call())))
    expect(calls.map((one) => (one.status === 'rejected' ? one.reason.code : one.value))).toEqual(
      Array(3).fill('ReconnectNeeded'),
    )
    expect(state.expired).toEqual(['refused'])
    expect(count('refresh')).toBe(1)
    state.expired = []
    state.stored = { credentials: cloud.signIn('alice'), version: 9 }
    await driver.quota(call())
  })

  it('of a service that has no refresh end with the first refusal', async () => {
    const { module, clock, cloud, credentials } = setUpRefresh()
    const { store, state } = credentialStore(credentials)
    const form = { fields: [], exchange: async () => ({ expiresAt: null }) }
    const driver = refresh({
      accountId: 'account-1',
      module: { ...module, signIn: { by: 'FORM', form } },
      store,
      clock,
    })
    await driver.quota(call())
    cloud.endAccess('alice')
    const refusal: unknown = await module
      .open(credentials)
      .quota(call())
      .catch((error: unknown) => error)
    if (!(refusal instanceof ProviderError)) throw new Error('It is not refused.')
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'ReconnectNeeded' })
    // With the service's own reason, which is what the user sees.
    expect(state.expired).toEqual([refusal.detail.message])
  })

  it('of a form are read again first: another server may have connected the account', async () => {
    const { module, clock, cloud, credentials } = setUpRefresh()
    const { store, state } = credentialStore(credentials)
    const form = { fields: [], exchange: async () => ({ expiresAt: null }) }
    const driver = refresh({
      accountId: 'account-1',
      module: { ...module, signIn: { by: 'FORM', form } },
      store,
      clock,
    })
    await driver.quota(call())
    cloud.endAccess('alice')
    state.stored = { credentials: cloud.signIn('alice'), version: 2 }
    await driver.quota(call())
    expect(state.expired).toEqual([])
  })
})

describe('a refresh in the middle', () => {
  it('of an upload continues it where it was', async () => {
    const { driver, faults, cloud } = setUpRefresh()
    const bytes = randomBytes(5_000)
    const given = { content: contentOf(bytes), progress: progress() }
    faults.push(expired(2_000))
    expect(await putBytes(driver, bytes, given)).toMatchObject({ size: 5_000 })
    expect(given.content.opened).toEqual([0, 2_000])
    expect(cloud.objects('alice')[0]?.bytes.equals(bytes)).toBe(true)
  })

  it('of an upload that outlives its credentials again and again', async () => {
    const { driver, faults, clock, state } = setUpRefresh()
    const bytes = randomBytes(4_000)
    async function* slowly(start: number): AsyncGenerator<Buffer> {
      await clock.advance(HOUR)
      yield bytes.subarray(start)
    }
    const opened: number[] = []
    const content = {
      size: bytes.length,
      opened,
      open(start: number) {
        opened.push(start)
        return Readable.from(slowly(start), { objectMode: false })
      },
    }
    faults.push(expired(1_000), null, expired(1_000), null, expired(1_000))
    const given = { content, progress: progress() }
    expect(await putBytes(driver, bytes, given)).toMatchObject({ size: 4_000 })
    expect(opened).toEqual([0, 1_000, 2_000, 3_000])
    expect(state.expired).toEqual([])
  })

  it.each([
    ['of all', undefined],
    ['of a range', { start: 1_000, end: 150_000 }],
  ] as const)('of a download %s goes on at the same byte', async (_words, range) => {
    const { driver, faults, count } = setUpRefresh()
    const bytes = randomBytes(200_000)
    const { ref } = await putBytes(driver, bytes)
    faults.push(expired(70_000))
    const read = await readAll(driver, ref, range)
    expect(read.equals(range ? bytes.subarray(range.start, range.end + 1) : bytes)).toBe(true)
    expect([count('get'), count('refresh')]).toEqual([2, 1])
  })

  it('of a download that is refused again ends the account', async () => {
    const { driver, faults, state } = setUpRefresh()
    const { ref } = await putBytes(driver, randomBytes(200_000))
    faults.push(expired(70_000), null, null, expired(10))
    await expect(readAll(driver, ref)).rejects.toMatchObject({ code: 'ReconnectNeeded' })
    expect(state.expired).toHaveLength(1)
  })

  it('of a download leaves other failures to the reader', async () => {
    const { driver, faults, count } = setUpRefresh()
    const { ref } = await putBytes(driver, randomBytes(200_000))
    faults.push({ kind: 'refused', code: 'Transient', afterBytes: 70_000 })
    await expect(readAll(driver, ref)).rejects.toMatchObject({ code: 'Transient' })
    expect(count('get')).toBe(1)
  })

  it('is not ended by one caller that leaves', async () => {
    const { driver, clock, cloud, faults, count } = setUpRefresh()
    await driver.quota(call())
    cloud.endAccess('alice')
    faults.push(null, null, { kind: 'delayed', ms: 5_000 })
    const controller = new AbortController()
    const leaving = outcomeOf(driver.quota(call(controller.signal)))
    const staying = outcomeOf(driver.quota(call()))
    await clock.settle()
    controller.abort('gone')
    await clock.settle()
    expect([leaving.now, staying.now]).toEqual(['gone', 'pending'])
    await clock.advance(5_000)
    expect(staying.now).toBe('done')
    expect(count('refresh')).toBe(1)
  })
})
