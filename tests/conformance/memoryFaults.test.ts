import { describe, expect, it } from 'vitest'
import type { Driver } from '../../server/providers/driver.ts'
import { bytesOf, call, failure, hashOf, listAll, progressFrom, put, read, rejection } from './kit.ts'
import { setUp } from './memorySetup.ts'

const stored = (driver: Driver, size = 1000) => put(driver, 'content.bin', bytesOf(size))

describe('faults of the service in memory', () => {
  it.each([
    'Transient',
    'RateLimited',
    'AuthExpired',
    'ReconnectNeeded',
    'Forbidden',
    'QuotaExceeded',
    'TooLarge',
  ] as const)('%s before anything is done, or in the middle of a content', async (code) => {
    const { driver, next, cloud } = setUp()
    next('put', { kind: 'refused', code, status: 499, retryAfterMs: 5 })
    const error = await rejection(stored(driver), code)
    expect(error).toMatchObject({ where: { operation: 'put', status: 499 }, detail: { retryAfterMs: 5 } })
    next('put', { kind: 'refused', code, afterBytes: 250 })
    await rejection(stored(driver), code)
    expect(cloud.accounts.get('alice')?.receivedBytes).toBe(250)
    expect(cloud.objects('alice')).toEqual([])
  })

  it('latency and silence, on the clock that it was given', async () => {
    const { driver, next, clock } = setUp()
    next('quota', { kind: 'delayed', ms: 30_000 })
    const slow = driver.quota(call())
    await clock.settle()
    expect(clock.sleepers()).toEqual([30_000])
    await clock.advance(30_000)
    await slow
    next('quota', { kind: 'silent' })
    const silent = failure(driver.quota(call()))
    await clock.advance(60_000)
    expect(await silent).toMatchObject({ code: 'Transient' })
    next('quota', { kind: 'silent' })
    const controller = new AbortController()
    const left = failure(driver.quota(call(controller.signal)))
    await clock.settle()
    controller.abort('gone')
    expect(await left).toBe('gone')
  })

  it('an answer that is lost after the work is done', async () => {
    const { driver, next, cloud } = setUp()
    const { ref } = await stored(driver)
    next('delete', { kind: 'lostReply' })
    await rejection(driver.delete(call(), ref), 'Transient')
    expect(cloud.objects('alice')).toEqual([])
  })

  it('less than was sent, admitted or not', async () => {
    const { driver, next } = setUp()
    next('put', { kind: 'truncated', bytes: 400, admitted: true })
    await rejection(stored(driver), 'Corrupt')
    next('put', { kind: 'truncated', bytes: 400, admitted: false })
    const entry = await stored(driver)
    expect(entry).toMatchObject({ size: 1000, hash: hashOf(driver, bytesOf(1000)) })
    expect(await driver.stat(call(), entry.ref)).toMatchObject({ size: 400 })
  })

  it('nothing stored, stored twice, and not in lists yet', async () => {
    const { driver, next, clock } = setUp()
    next('put', { kind: 'vanished' })
    await rejection(driver.stat(call(), (await stored(driver)).ref), 'NotFound')
    next('put', { kind: 'duplicated' })
    await stored(driver)
    expect(await listAll(driver)).toHaveLength(2)
    next('put', { kind: 'hidden', ms: 30_000 })
    const { ref } = await stored(driver)
    expect(await listAll(driver)).toHaveLength(2)
    expect(await driver.stat(call(), ref)).toMatchObject({ size: 1000 })
    await clock.advance(30_000)
    expect(await listAll(driver)).toHaveLength(3)
  })

  it('wrong bytes, of the right length', async () => {
    const { driver, next } = setUp()
    const bytes = bytesOf(1000)
    const { ref } = await put(driver, 'one.bin', bytes)
    const other = bytesOf(1500, 2)
    await put(driver, 'two.bin', other)
    next('get', { kind: 'flipped', at: 77 })
    const flipped = await read(driver, ref)
    expect(flipped.length).toBe(1000)
    expect([...flipped].flatMap((byte, at) => (byte === bytes[at] ? [] : [at]))).toEqual([77])
    next('get', { kind: 'otherObject' })
    expect((await read(driver, ref)).equals(other.subarray(0, 1000))).toBe(true)
    next('get', { kind: 'rangeIgnored' })
    expect((await read(driver, ref, { start: 10, end: 19 })).equals(bytes.subarray(10, 20))).toBe(true)
    expect((await read(driver, ref)).equals(bytes)).toBe(true)
  })

  it('bytes that are too few, and bytes that are packed', async () => {
    const { driver, next } = setUp()
    const { ref } = await stored(driver)
    next('get', { kind: 'shortened', bytes: 999 })
    await rejection(read(driver, ref), 'Transient')
    next('get', { kind: 'packed' })
    await rejection(driver.get(call(), ref), 'Transient')
    next('get', { kind: 'refused', code: 'Transient', afterBytes: 300 })
    await rejection(read(driver, ref), 'Transient')
  })

  it('what others do to the account', async () => {
    const { driver, cloud } = setUp()
    const { ref } = await stored(driver)
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    cloud.overwrite('alice', ref, Buffer.from('other'))
    expect(await driver.stat(call(), ref)).toMatchObject({ size: 5 })
    expect((await driver.changes?.(call(), begin))?.changes).toMatchObject([{ ref, entry: { size: 5 } }])
    cloud.resetChanges('alice')
    await rejection(Promise.resolve(driver.changes?.(call(), begin)), 'CursorReset')
    cloud.setQuota('alice', 1000)
    await rejection(stored(driver), 'QuotaExceeded')
    cloud.setQuota('alice', 'UNKNOWN')
    expect(await driver.quota(call())).toEqual({ state: 'UNKNOWN', usedBytes: null, totalBytes: null })
    cloud.setQuota('alice', 'UNLIMITED')
    expect(await driver.quota(call())).toEqual({ state: 'UNLIMITED', usedBytes: 5, totalBytes: null })
  })

  it('an account that fills up while an upload is under way', async () => {
    const { driver, cloud } = setUp()
    const progress = progressFrom()
    const filling = { ...progress, onProgress: () => cloud.setQuota('alice', 10) }
    await rejection(put(driver, 'late.bin', bytesOf(1000), { progress: filling }), 'QuotaExceeded')
    expect(cloud.objects('alice')).toEqual([])
  })
})
