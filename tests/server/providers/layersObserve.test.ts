import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../server/lib/logger.ts'
import { observe } from '../../../server/providers/layers/wrapDriver.ts'
import { call, contentOf, progress, putBytes, readAll, setUp } from './layersSetup.ts'

function setUpObserve() {
  const setup = setUp()
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).trim().split('\n'))
      done()
    },
  })
  const logger = createLogger('debug', destination)
  const driver = observe(setup.driver, { accountId: 'account-1', logger, clock: setup.clock })
  return { ...setup, driver, lines, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

describe('the log of calls', () => {
  it('has one line for each, with how long it took', async () => {
    const { driver, faults, clock, read } = setUpObserve()
    faults.push({ kind: 'delayed', ms: 250 })
    const quota = driver.quota(call())
    await clock.advance(250)
    await quota
    expect(read()).toMatchObject([
      {
        level: 'debug',
        provider: 'memory',
        accountId: 'account-1',
        operation: 'quota',
        requestId: 'request-1',
        ms: 250,
      },
    ])
  })

  it('warns of what failed, with its code', async () => {
    const { driver, faults, read } = setUpObserve()
    faults.push({ kind: 'refused', code: 'RateLimited', status: 429, retryAfterMs: 3_000 })
    await expect(driver.quota(call())).rejects.toThrow()
    expect(read()).toMatchObject([{ level: 'warn', code: 'RateLimited', status: 429, retryAfterMs: 3_000 }])
  })

  it('has the line of a download when its body is over, however it ends', async () => {
    const { driver, faults, clock, read } = setUpObserve()
    const { ref } = await putBytes(driver, randomBytes(200_000))
    await readAll(driver, ref)
    faults.push({ kind: 'refused', code: 'Transient', afterBytes: 10 })
    await expect(readAll(driver, ref)).rejects.toThrow()
    const left = await driver.get(call(), ref)
    expect(read()).toHaveLength(3)
    left.body.destroy()
    const controller = new AbortController()
    await driver.get(call(controller.signal), ref)
    controller.abort(new Error('gone'))
    await clock.settle()
    expect(read().slice(1)).toMatchObject([
      { level: 'debug', operation: 'get' },
      { level: 'warn', operation: 'get', code: 'Transient' },
      { level: 'debug', operation: 'get', leftEarly: true },
      { level: 'debug', operation: 'get', aborted: true },
    ])
  })

  it('never has names, tokens or sessions', async () => {
    const { driver, cloud, credentials, lines } = setUpObserve()
    const name = 'my secret diary.txt'
    const given = progress()
    const bytes = randomBytes(2_000)
    const entry = { parent: driver.root, name, size: bytes.length, mimeType: null }
    const { ref } = await driver.put(call(), entry, contentOf(bytes), given)
    await driver.move?.(call(), ref, { name: `${name}.bak` })
    await driver.ensureFolder(call(), driver.root, 'my secret folder')
    await driver.abandon(call(), given.saved[0] ?? '')
    await expect(driver.stat(call(), ref)).rejects.toMatchObject({ code: 'NotFound' })
    cloud.endAccess('alice')
    await expect(driver.stat(call(), ref)).rejects.toMatchObject({ code: 'AuthExpired' })
    const log = lines.join('\n')
    const session = JSON.parse(given.saved[0] ?? '{}') as { upload?: string }
    expect(lines).toHaveLength(6)
    for (const secret of ['secret', credentials.accessToken, credentials.refreshToken, session.upload]) {
      expect(log).not.toContain(secret)
    }
  })
})
