import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createCopyStream } from '../../../server/domain/files/content/copyStream.ts'
import type { EntryRef } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { limit } from '../../../server/providers/layers/limit.ts'
import { call, contentOf, outcomeOf, progress, putBytes, rateLimited, setUp, transient } from './layersSetup.ts'

function setUpLimit(capabilities: { maxConcurrency?: number; maxConcurrentWrites?: number } = {}) {
  const setup = setUp({ capabilities: { maxConcurrency: 10, maxConcurrentWrites: 8, ...capabilities } })
  const { clock } = setup
  return { ...setup, inner: setup.driver, driver: limit(setup.driver, { clock }) }
}

/** All calls of that kind hang for a second. */
const slow = { kind: 'delayed', ms: 1_000 } as const

describe('the slots of an account', () => {
  it('are four for uploads, and fewer where the service takes fewer', async () => {
    for (const [maxConcurrentWrites, expected] of [
      [8, 4],
      [1, 1],
    ] as const) {
      const { driver, clock, faults, calls } = setUpLimit({ maxConcurrentWrites })
      faults.push(...Array.from({ length: 6 }, () => slow))
      const puts = Array.from({ length: 6 }, () => putBytes(driver, randomBytes(10)))
      await clock.settle()
      expect(calls).toHaveLength(expected)
      await clock.advance(10_000)
      await Promise.all(puts)
      expect(calls).toHaveLength(6)
    }
  })

  it('are no more in all than the service allows', async () => {
    const { driver, clock, faults, calls, inner } = setUpLimit()
    const { ref } = await putBytes(inner, randomBytes(10))
    calls.length = 0
    faults.push(...Array.from({ length: 40 }, () => slow))
    const working = Array.from({ length: 12 }, () => [
      putBytes(driver, randomBytes(10)),
      driver.get(call(), ref).then(({ body }) => body.toArray()),
      driver.stat(call(), ref),
    ]).flat()
    await clock.settle()
    expect(calls).toHaveLength(10)
    for (const operation of ['put', 'get', 'stat']) expect(calls.map((one) => one.operation)).toContain(operation)
    await clock.advance(60_000)
    await Promise.all(working)
  })

  it('are held by a download until its body is over', async () => {
    const { driver, clock, calls, inner } = setUpLimit({ maxConcurrency: 3, maxConcurrentWrites: 1 })
    const { ref } = await putBytes(inner, randomBytes(200_000))
    calls.length = 0
    const first = await driver.get(call(), ref)
    const second = driver.get(call(), ref)
    await clock.settle()
    expect(calls).toHaveLength(1)
    expect(await driver.stat(call(), ref)).toMatchObject({ size: 200_000 })
    await first.body.toArray()
    const { body } = await second
    const third = outcomeOf(driver.get(call(), ref))
    await clock.settle()
    expect(third.now).toBe('pending')
    body.destroy()
    await clock.settle()
    expect(third.now).toBe('done')
  })

  it('take many calls on one signal, without a warning', async () => {
    const { driver, inner } = setUpLimit()
    const { ref } = await putBytes(inner, randomBytes(100_000))
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    const read = async () => (await driver.get(call(signal), ref)).body.toArray()
    await Promise.all(Array.from({ length: 40 }, read))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('are left by who does not wait any longer', async () => {
    const { driver, clock, faults, calls } = setUpLimit({ maxConcurrency: 3 })
    faults.push(slow)
    const first = driver.quota(call())
    const controller = new AbortController()
    const second = outcomeOf(driver.quota(call(controller.signal)))
    const third = driver.quota(call())
    await clock.settle()
    controller.abort('gone')
    await clock.advance(1_000)
    await Promise.all([first, third])
    expect(second.now).toBe('gone')
    expect(calls).toHaveLength(2)
  })
})

describe('two accounts that feed each other', () => {
  it('come to an end, also with one slot for each kind of call', async () => {
    const [one, two] = [setUpLimit(), setUpLimit()]
    const bytes = randomBytes(100_000)
    const sources = await Promise.all([one, two].map(({ inner }) => putBytes(inner, bytes)))
    for (const { faults, driver, clock } of [one, two]) {
      faults.push(...Array.from({ length: 4 }, () => rateLimited(1)))
      for (let round = 0; round < 4; round += 1) {
        await driver.quota(call()).catch(() => undefined)
        await clock.advance(1)
      }
    }
    const move = async (from: typeof one, to: typeof one, ref: EntryRef) => {
      async function* read(start: number): AsyncGenerator<Buffer> {
        const { body } = await from.driver.get(call(), ref, { start, end: bytes.length - 1 })
        yield* body as AsyncIterable<Buffer>
      }
      const open = (start: number) => Readable.from(read(start), { objectMode: false })
      return putBytes(to.driver, bytes, { content: { ...contentOf(bytes), open }, progress: progress() })
    }
    const moves = Array.from({ length: 10 }, () => [
      move(one, two, sources[0]?.ref as EntryRef),
      move(two, one, sources[1]?.ref as EntryRef),
      move(one, one, sources[0]?.ref as EntryRef),
    ]).flat()
    expect((await Promise.all(moves)).map(({ size }) => size)).toEqual(Array(30).fill(bytes.length))
  })
})

describe('a pause that the service asks for', () => {
  it('holds the whole account for exactly that long, and no other', async () => {
    const { driver, clock, faults, calls, inner } = setUpLimit()
    const other = limit(inner, { clock })
    faults.push(rateLimited(7_000))
    const start = clock.now()
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'RateLimited' })
    const waiting = [driver.quota(call()), driver.identity(call()), putBytes(driver, randomBytes(3))].map(outcomeOf)
    await other.identity(call())
    await clock.advance(6_999)
    expect(waiting.map(({ now }) => now)).toEqual(['pending', 'pending', 'pending'])
    await clock.advance(1)
    expect(waiting.map(({ now }) => now)).toEqual(['done', 'done', 'done'])
    expect(calls.map(({ at }) => at - start)).toEqual([0, 0, 7_000, 7_000, 7_000])
  })

  it('is kept by writes alone when one of them was asked to wait, until reads are asked too', async () => {
    const { driver, clock, faults, calls, inner } = setUpLimit()
    const { ref } = await putBytes(inner, randomBytes(100))
    faults.push(rateLimited(120_000))
    await expect(putBytes(driver, randomBytes(3))).rejects.toMatchObject({ code: 'RateLimited' })
    calls.length = 0
    expect(await (await driver.get(call(), ref)).body.toArray()).toHaveLength(1)
    await driver.stat(call(), ref)
    await driver.list(call(), driver.root, null)
    for (const write of [putBytes(driver, randomBytes(3)), driver.delete(call(), ref)]) {
      await expect(write).rejects.toMatchObject({ detail: { retryAfterMs: 120_000, attempts: 0 } })
    }
    expect(calls.map(({ operation }) => operation)).toEqual(['get', 'stat', 'list'])
    faults.push(rateLimited(30_000))
    await expect(driver.get(call(), ref)).rejects.toMatchObject({ code: 'RateLimited' })
    const patient = outcomeOf(driver.stat(call(), ref))
    const hurried = driver.get({ ...call(), patienceMs: 5_000 }, ref)
    await expect(hurried).rejects.toMatchObject({ detail: { retryAfterMs: 30_000, attempts: 0 } })
    await clock.advance(30_000)
    expect(patient.now).toBe('done')
    await clock.advance(90_000)
    await putBytes(driver, randomBytes(3))
  })

  it('is kept by downloads alone when the service limits only those', async () => {
    const { clock, calls, inner } = setUpLimit()
    const { ref } = await putBytes(inner, randomBytes(100))
    let isLimited = true
    const limited = new ProviderError(
      'RateLimited',
      { provider: 'memory', operation: 'get' },
      { message: 'Used up.', retryAfterMs: 600_000, isOfDownloads: true },
    )
    const driver = limit(
      { ...inner, get: (...asked) => (isLimited ? Promise.reject(limited) : inner.get(...asked)) },
      { clock },
    )
    await expect(driver.get(call(), ref)).rejects.toBe(limited)
    isLimited = false
    calls.length = 0
    await expect(driver.get(call(), ref)).rejects.toMatchObject({ detail: { retryAfterMs: 600_000, attempts: 0 } })
    await driver.stat(call(), ref)
    await putBytes(driver, randomBytes(3))
    expect(calls.map(({ operation }) => operation)).toEqual(['stat', 'put'])
    await clock.advance(600_000)
    expect(await (await driver.get(call(), ref)).body.toArray()).toHaveLength(1)
  })

  it('is told at once to whoever would wait too long', async () => {
    const { driver, clock, faults, calls } = setUpLimit()
    faults.push(rateLimited(600_000))
    await expect(driver.quota(call())).rejects.toMatchObject({ detail: { retryAfterMs: 600_000 } })
    await clock.advance(100_000)
    await expect(driver.identity(call())).rejects.toMatchObject({
      code: 'RateLimited',
      detail: { retryAfterMs: 500_000, attempts: 0 },
    })
    expect(calls).toHaveLength(1)
    await clock.advance(500_000)
    await driver.identity(call())
  })

  it('doubles where no time is named, until a call goes well', async () => {
    const { driver, clock, faults, calls } = setUpLimit()
    const start = clock.now()
    faults.push(rateLimited(), rateLimited(), rateLimited(), null, rateLimited())
    for (let round = 0; round < 6; round += 1) {
      const quota = driver.quota(call()).catch(() => undefined)
      await clock.advance(20_000)
      await quota
      await clock.advance(0)
    }
    const pauses = calls.slice(0, 4).map(({ at }) => at - start)
    expect(pauses[0]).toBe(0)
    expect(calls).toHaveLength(6)
    faults.push(rateLimited(), rateLimited())
    const begin = clock.now()
    await driver.quota(call()).catch(() => undefined)
    const second = driver.quota(call()).catch(() => undefined)
    await clock.advance(1_500)
    await second
    const third = driver.quota(call())
    await clock.advance(2_500)
    await third
    expect(calls.slice(6).map(({ at }) => at - begin)).toEqual([0, 1_500, 4_000])
  })

  it('halves what goes on at once, one time for calls side by side, and one more comes back each minute', async () => {
    const { driver, clock, faults, calls } = setUpLimit()
    const uploads = async (): Promise<number> => {
      calls.length = 0
      faults.push(...Array.from({ length: 12 }, () => slow))
      const puts = Array.from({ length: 12 }, () => putBytes(driver, randomBytes(3)))
      await clock.settle()
      const atOnce = calls.length
      await clock.advance(20_000)
      await Promise.all(puts)
      return atOnce
    }
    expect(await uploads()).toBe(4)
    faults.push(rateLimited(1_000), rateLimited(1_000), rateLimited(1_000))
    await Promise.allSettled([1, 2, 3].map(() => putBytes(driver, randomBytes(3))))
    await clock.advance(1_000)
    expect(await uploads()).toBe(2)
    await clock.advance(3 * 60_000)
    expect(await uploads()).toBe(3)
    await clock.advance(5 * 60_000)
    expect(await uploads()).toBe(4)
  })
})

describe('an account whose service fails', () => {
  async function fail(setup: ReturnType<typeof setUpLimit>, times: number): Promise<void> {
    for (let round = 0; round < times; round += 1) {
      setup.faults.push(transient)
      await expect(setup.driver.quota(call())).rejects.toMatchObject({ code: 'Transient' })
    }
  }

  it('is left alone for half a minute after five failures, and then asked by one call', async () => {
    const setup = setUpLimit()
    const { driver, clock, calls, faults } = setup
    await fail(setup, 5)
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'Transient', detail: { attempts: 0 } })
    await clock.advance(29_999)
    await expect(putBytes(driver, randomBytes(3))).rejects.toMatchObject({ detail: { retryAfterMs: 1 } })
    expect(calls).toHaveLength(5)
    await clock.advance(1)
    faults.push(slow)
    const probe = driver.quota(call())
    await clock.settle()
    await expect(driver.quota(call())).rejects.toMatchObject({ detail: { attempts: 0 } })
    await clock.advance(1_000)
    await probe
    await driver.quota(call())
    expect(calls).toHaveLength(7)
  })

  it('is left alone again when the one call fails too', async () => {
    const setup = setUpLimit()
    await fail(setup, 5)
    await setup.clock.advance(30_000)
    await fail(setup, 1)
    await expect(setup.driver.quota(call())).rejects.toMatchObject({ detail: { attempts: 0, retryAfterMs: 30_000 } })
  })

  it('is asked by another call when the first has no answer for half a minute, as an upload of hours', async () => {
    const setup = setUpLimit()
    const { driver, clock, faults } = setup
    await fail(setup, 5)
    await clock.advance(30_000)
    faults.push({ kind: 'delayed', ms: 600_000 })
    const upload = outcomeOf(putBytes(driver, randomBytes(10)))
    await clock.settle()
    await expect(driver.quota(call())).rejects.toMatchObject({ detail: { attempts: 0 } })
    await clock.advance(30_000)
    await driver.quota(call())
    await driver.quota(call())
    expect(upload.now).toBe('pending')
    await clock.advance(600_000)
    expect(upload.now).toBe('done')
  })

  it('is asked all the same by who has nobody else, one at a time, and is well again for all when that works', async () => {
    const setup = setUpLimit()
    const { driver, clock, calls, faults } = setup
    await fail(setup, 5)
    const insisting = { ...call(), lastChance: true }
    await expect(driver.quota(insisting)).rejects.toMatchObject({ detail: { attempts: 0 } })
    await clock.advance(1_000)
    faults.push({ kind: 'delayed', ms: 5_000 })
    const first = driver.quota(insisting)
    const second = outcomeOf(driver.quota(insisting))
    await clock.settle()
    await expect(driver.quota(call())).rejects.toMatchObject({ detail: { attempts: 0 } })
    expect([calls.length, second.now]).toEqual([6, 'pending'])
    await clock.advance(5_100)
    await first
    expect(second.now).toBe('done')
    await driver.quota(call())
    expect(calls).toHaveLength(8)
  })

  it('hears of those who insist no more than once a second while it fails', async () => {
    const setup = setUpLimit()
    const { driver, clock, calls, faults } = setup
    await fail(setup, 5)
    await clock.advance(1_000)
    faults.push(transient)
    const insisting = { ...call(), lastChance: true }
    const both = Promise.allSettled([driver.quota(insisting), driver.quota(insisting)])
    await clock.advance(100)
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(driver.quota(insisting)).rejects.toMatchObject({ detail: { attempts: 0 } })
    expect(calls).toHaveLength(6)
  })

  it('is asked on when one call in between goes well, or when a minute is over', async () => {
    const setup = setUpLimit()
    await fail(setup, 4)
    await setup.driver.quota(call())
    await fail(setup, 4)
    await setup.clock.advance(60_000)
    await fail(setup, 4)
    await setup.driver.quota(call())
  })

  it('is asked again when the one call is called off', async () => {
    const setup = setUpLimit()
    await fail(setup, 5)
    await setup.clock.advance(30_000)
    const controller = new AbortController()
    setup.faults.push(slow)
    const probe = outcomeOf(setup.driver.quota(call(controller.signal)))
    await setup.clock.settle()
    controller.abort('gone')
    await setup.clock.settle()
    expect(probe.now).toBe('gone')
    await setup.driver.quota(call())
  })

  it('is not left alone for single failures among good reads, whole or left early', async () => {
    const setup = setUpLimit()
    const { driver, faults, inner } = setup
    const { ref } = await putBytes(inner, randomBytes(200_000))
    const part = { id: 'p', accountId: 'a', local: false, ref, offset: 0, size: 200_000, hash: null, unseen: false }
    const read = async (bytes: number) => {
      const stream = createCopyStream({
        openPart: async (_part, start, end, { signal }) => (await driver.get(call(signal), ref, { start, end })).body,
        stallMs: 20_000,
        copy: { id: 'c', parts: [part], suspectBlock: null },
        start: 0,
        end: part.size - 1,
        lastChance: false,
      })
      await stream.fill(Buffer.alloc(bytes))
      stream.close()
    }
    for (let round = 0; round < 6; round += 1) {
      await fail(setup, 1)
      for (const bytes of [200_000, 70_000, 200_000]) await read(bytes)
    }
    faults.push(transient)
    await expect(read(1)).rejects.toMatchObject({ detail: { message: expect.not.stringContaining('left alone') } })
    await read(1)
  })

  it('learns nothing from what we call off, however far it has come', async () => {
    const setup = setUpLimit()
    const { driver, inner } = setup
    const { ref } = await putBytes(inner, randomBytes(200_000))
    const abort = async (before: boolean) => {
      const ended = new AbortController()
      const { body } = await driver.get(call(ended.signal), ref)
      if (!before) await body[Symbol.asyncIterator]().next()
      ended.abort(new Error('enough'))
      await setup.clock.settle()
    }
    await fail(setup, 4)
    for (let round = 0; round < 5; round += 1) await abort(round % 2 === 0)
    ;(await driver.get(call(), ref)).body.destroy()
    await setup.clock.settle()
    await fail(setup, 1)
    await expect(driver.quota(call())).rejects.toMatchObject({ detail: { attempts: 0 } })
  })

  it('counts bodies that break, and no contents that break by themselves', async () => {
    const setup = setUpLimit()
    const { driver, faults } = setup
    for (let round = 0; round < 6; round += 1) {
      const content = { size: 10, open: () => Readable.from(broken(), { objectMode: false }) }
      await expect(
        putBytes(driver, randomBytes(10), {
          content: { ...contentOf(randomBytes(10)), ...content },
          progress: progress(),
        }),
      ).rejects.toMatchObject({ code: 'Transient' })
    }
    const { ref } = await putBytes(driver, randomBytes(1_000))
    for (let round = 0; round < 5; round += 1) {
      faults.push({ kind: 'refused', code: 'Transient', afterBytes: 10 })
      const { body } = await driver.get(call(), ref)
      await expect(body.toArray()).rejects.toMatchObject({ code: 'Transient' })
    }
    await expect(driver.get(call(), ref)).rejects.toMatchObject({ detail: { attempts: 0 } })
  })
})

async function* broken(): AsyncGenerator<Buffer> {
  yield Buffer.from('abc')
  throw new Error('The disk broke.')
}
