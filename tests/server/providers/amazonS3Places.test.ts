import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { amazonS3Module } from '../../../server/providers/amazon-s3/module.ts'
import type { S3Page } from '../../../server/providers/amazon-s3/objects.ts'
import { createPlaces } from '../../../server/providers/amazon-s3/places.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { makeBucket, storeText } from '../../conformance/amazonS3Harness.ts'
import { bytesOf, call, put, read, rejection } from '../../conformance/kit.ts'
import { startS3Emulator } from '../../fakes/s3/emulator.ts'
import type { S3Server } from '../../fakes/s3/swift.ts'

const page = (keys: readonly string[], token: string | null = null): S3Page => ({
  objects: keys.map((key) => ({
    key,
    size: 1,
    etag: '',
    modifiedAt: null,
    storedMd5: null,
    isOpaque: false,
    metadata: {},
  })),
  prefixes: [],
  token,
})

describe('what uploads know of a folder', () => {
  let time = 0
  /** A folder with two open uploads, what the service answers, and how long that takes. */
  function stage(answer: () => S3Page, tookMs = 500) {
    const places = createPlaces(() => time)
    let looks = 0
    const look = async () => {
      looks += 1
      time += tookMs
      return answer()
    }
    for (const key of ['f/open 1', 'f/open 2']) places.enter('f/', key)
    const isKnown = (key: string, needsName = true) => places.enter('f/', key).isKnown(needsName, look)
    return { places, look, isKnown, looks: () => looks }
  }

  it('is nothing for a lone upload', async () => {
    const places = createPlaces(() => time)
    const { look, looks } = stage(() => page(['f/a']))
    expect(await places.enter('f/', 'f/b').isKnown(true, look)).toBe(false)
    expect(looks()).toBe(0)
  })

  it('is shared for two seconds, and renewed before they end, without waiting', async () => {
    let names = ['f/a']
    const { isKnown, looks } = stage(() => page(names), 100)
    expect(await Promise.all([isKnown('f/b'), isKnown('f/c')])).toEqual([true, true])
    names = ['f/a', 'f/d', 'f/e']
    time += 1699
    expect([await isKnown('f/a'), await isKnown('f/d'), looks()]).toEqual([false, true, 1])
    time += 1
    const old = isKnown('f/e')
    expect([looks(), await old]).toEqual([2, true])
    expect([await isKnown('f/e 2'), looks()]).toEqual([true, 2])
    names = ['f/a', 'f/h']
    time += 2000
    expect([await isKnown('f/h'), looks()]).toEqual([false, 3])
    time -= 60_000
    expect([await isKnown('f/g'), looks()]).toEqual([true, 4])
  })

  it.each([
    [100, 1800],
    [400, 1200],
    [900, 1000],
  ])('is renewed the earlier the longer a look takes: %i ms, after %i ms', async (tookMs, renewedAt) => {
    const { isKnown, looks } = stage(() => page(['f/a']), tookMs)
    await isKnown('f/b')
    time += renewedAt - tookMs - 1
    await isKnown('f/c')
    expect(looks()).toBe(1)
    time += 1
    await isKnown('f/d')
    expect(looks()).toBe(2)
  })

  it('is what the last look shows that did not fail, for no longer than before', async () => {
    let fails = false
    const { isKnown, looks } = stage(() => {
      if (fails) throw new Error('no list')
      return page(['f/a'])
    })
    await isKnown('f/b')
    fails = true
    time += 1000
    expect([await isKnown('f/c'), looks()]).toEqual([true, 2])
    time += 500
    expect([await isKnown('f/d'), looks()]).toEqual([false, 3])
  })

  it('is no more than what the list shows: not of own names, and not behind its end', async () => {
    const { isKnown } = stage(() => page(['f/a', 'f/c'], 'more'))
    expect([await isKnown('f/b'), await isKnown('f/b')]).toEqual([true, false])
    expect([await isKnown('f/d'), await isKnown('f/d', false)]).toEqual([false, false])
    expect(await isKnown('f/e', false)).toBe(true)
    const unordered = stage(() => page(['f/c', 'f/a', 'f/z'], 'more'))
    expect([await unordered.isKnown('f/b'), await unordered.isKnown('f/d', false)]).toEqual([false, true])
  })

  it('is nothing of a folder that is empty or cannot be listed, and after other changes', async () => {
    expect(await stage(() => page([])).isKnown('f/b')).toBe(false)
    const broken = stage(() => {
      throw new Error('no list')
    })
    expect(await broken.isKnown('f/b')).toBe(false)
    const { isKnown, looks, places } = stage(() => page(['f/a']))
    await isKnown('f/b')
    time += 500
    const renewing = isKnown('f/c')
    places.forget()
    await renewing
    expect(looks()).toBe(2)
    await isKnown('f/d')
    expect(looks()).toBe(3)
  })
})

describe('many uploads into one folder', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Emulator()
  })
  afterAll(() => server.close())

  it('share one look, and replace nothing', async () => {
    const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true) })
    const asked: string[] = []
    const send: typeof http.send = (...request) => {
      asked.push(request[1].method)
      return http.send(...request)
    }
    const bucket = await makeBucket(server)
    const module = amazonS3Module({ http: { send }, now: () => 0 })
    const driver = module.open({ ...bucket.credentials, conditions: 'none' })
    const folder = await driver.ensureFolder(call(), driver.root, 'Many')
    await storeText(bucket, 'Many/file 7', 'of another program')
    asked.length = 0
    const sent = Array.from({ length: 12 }, (_, at) => put(driver, `file ${at}`, bytesOf(at), { parent: folder }))
    const outcomes = await Promise.allSettled(sent)
    expect(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([7])
    // The first one, which was alone, and the one whose name is taken look for themselves.
    expect(asked.filter((method) => method === 'GET')).toHaveLength(3)
    expect(asked.filter((method) => method === 'HEAD')).toHaveLength(11 + 2)
    const again = [7, 8, 9].map((at) =>
      rejection(put(driver, `file ${at}`, bytesOf(3), { parent: folder }), 'Conflict'),
    )
    await Promise.all(again)
    expect(`${await read(driver, `${folder}file 7` as typeof folder)}`).toBe('of another program')
    await driver.delete(call(), folder)
    const late = ['a', 'b', 'c'].map((name) => rejection(put(driver, name, bytesOf(3), { parent: folder }), 'NotFound'))
    await Promise.all(late)
  })
})
