import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ProviderError } from '../../../server/providers/errors.ts'
import { retry } from '../../../server/providers/layers/wrapDriver.ts'
import { call, contentOf, outcomeOf, progress, putBytes, rateLimited, setUp, transient } from './layersSetup.ts'

function setUpRetry() {
  const setup = setUp()
  return { ...setup, driver: retry(setup.driver, setup) }
}

describe('trying again', () => {
  it('waits longer each time, by chance up to twice as long, and gives up after five tries', async () => {
    const { driver, clock, faults, calls } = setUpRetry()
    faults.push(...Array.from({ length: 9 }, () => transient))
    const start = clock.now()
    const listing = driver.list(call(), driver.root, null).catch((error: unknown) => error)
    await clock.advance(120_000)
    const error = (await listing) as ProviderError
    expect(error).toMatchObject({ code: 'Transient', where: { status: 503 }, detail: { attempts: 5 } })
    expect(calls.map(({ at }) => at - start)).toEqual([0, 500, 1500, 3500, 7500])
  })

  it('keeps to the time that the service names, exactly', async () => {
    const { driver, clock, faults, calls } = setUpRetry()
    faults.push(rateLimited(7_000), rateLimited(1_234))
    const start = clock.now()
    const quota = outcomeOf(driver.quota(call()))
    await clock.advance(8_233)
    expect(quota.now).toBe('pending')
    await clock.advance(1)
    expect(quota.now).toBe('done')
    expect(calls.map(({ at }) => at - start)).toEqual([0, 7_000, 8_234])
  })

  it('leaves a long pause to the caller', async () => {
    const { driver, faults, calls } = setUpRetry()
    faults.push(rateLimited(3_600_000))
    const error = await driver.quota(call()).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'RateLimited', detail: { retryAfterMs: 3_600_000, attempts: 1 } })
    expect(calls).toHaveLength(1)
  })

  it.each(['NotFound', 'Conflict', 'QuotaExceeded', 'AuthExpired', 'ReconnectNeeded', 'Corrupt', 'Forbidden'] as const)(
    'leaves %s alone',
    async (code) => {
      const { driver, faults, calls } = setUpRetry()
      faults.push({ kind: 'refused', code })
      await expect(driver.quota(call())).rejects.toMatchObject({ code, detail: { message: expect.any(String) } })
      expect(calls).toHaveLength(1)
    },
  )

  it('leaves alone what was given up below', async () => {
    const { driver, clock } = setUpRetry()
    let count = 0
    const where = { provider: 'memory', operation: 'quota' }
    const inner = {
      ...driver,
      quota: async () => {
        count += 1
        throw new ProviderError('Transient', where, { message: 'Closed.', attempts: 0 })
      },
    }
    await expect(retry(inner, { clock }).quota(call())).rejects.toMatchObject({ detail: { attempts: 0 } })
    expect(count).toBe(1)
  })

  it('repeats a page of a listing of everything', async () => {
    const { driver, clock, faults, calls } = setUpRetry()
    await putBytes(driver, randomBytes(10))
    faults.push(transient, transient)
    const listing = driver.listAll?.(call(), null)
    await clock.advance(10_000)
    expect(await listing).toMatchObject({ items: [{ size: 10 }], cursor: null })
    expect(calls.filter(({ operation }) => operation === 'listAll')).toHaveLength(3)
  })

  it('does not do twice what is not the same done twice', async () => {
    const { driver, clock, faults, calls, cloud } = setUpRetry()
    const { ref } = await putBytes(driver, randomBytes(10))
    faults.push({ kind: 'lostReply' })
    const copy = driver.copy?.(
      call(),
      ref,
      { parent: driver.root, name: 'copy.bin', size: 10, mimeType: null },
      { hash: '', save: async () => undefined },
    )
    await expect(copy).rejects.toMatchObject({ code: 'Transient' })
    await clock.advance(60_000)
    expect(calls.filter(({ operation }) => operation === 'copy')).toHaveLength(1)
    expect(cloud.objects('alice')).toHaveLength(2)
  })

  it('continues an upload from the session that was saved last, and finds one whose answer was lost', async () => {
    const { driver, clock, faults, cloud } = setUpRetry()
    const bytes = randomBytes(5_000)
    const given = { content: contentOf(bytes), progress: progress() }
    faults.push({ kind: 'refused', code: 'Transient', afterBytes: 2_500 }, { kind: 'lostReply' })
    const stored = putBytes(driver, bytes, given)
    await clock.advance(10_000)
    expect(await stored).toMatchObject({ size: 5_000 })
    expect(given.content.opened).toEqual([0, 2_500])
    expect(given.progress.saved).toHaveLength(1)
    expect(cloud.objects('alice').map((object) => object.bytes.equals(bytes))).toEqual([true])
    expect(cloud.accounts.get('alice')?.receivedBytes).toBe(5_000)
  })

  it('ends with the call, in the middle of a pause', async () => {
    const { driver, clock, faults } = setUpRetry()
    const controller = new AbortController()
    faults.push(transient)
    const quota = outcomeOf(driver.quota(call(controller.signal)))
    await clock.settle()
    expect(clock.sleepers()).toEqual([500])
    controller.abort('gone')
    await clock.settle()
    expect(quota.now).toBe('gone')
    expect(clock.sleepers()).toEqual([])
  })
})
