import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Driver } from '../../server/providers/driver.ts'
import { oauthOf } from '../setup/providers.ts'
import { bytesOf, call, listAll, put, rejection } from './kit.ts'
import { setUp } from './memorySetup.ts'

const stored = (driver: Driver, size = 1000) => put(driver, 'content.bin', bytesOf(size))

describe('the service in memory', () => {
  it('keeps accounts apart', async () => {
    const { driver, module, cloud } = setUp()
    const { ref } = await stored(driver)
    const bob = module.open(cloud.signIn('bob'))
    await rejection(bob.stat(call(), ref), 'NotFound')
    expect(await listAll(bob)).toEqual([])
  })

  it('is the same each time, with the same clock and ids', async () => {
    const tell = async () => {
      const { driver, cloud } = setUp()
      await stored(driver)
      await driver.share?.(call(), (await stored(driver)).ref, null)
      return JSON.stringify(cloud.objects('alice'))
    }
    expect(await tell()).toBe(await tell())
  })

  it('signs in by its page, with a code that is good once', async () => {
    const { module, cloud } = setUp()
    const oauth = oauthOf(module.signIn)
    const [verifier, redirectUri] = ['v'.repeat(43), 'https://files.example.com/oauth/memory/callback']
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const url = oauth?.authorizationUrl({ state: 's', challenge, redirectUri, loginHint: 'alice@example.com' })
    expect(Object.fromEntries(url?.searchParams ?? [])).toMatchObject({ state: 's', login_hint: 'alice@example.com' })
    const exchange = (code: string, given = verifier) =>
      Promise.resolve(oauth?.exchange(call(), { code, verifier: given, redirectUri }))
    const code = cloud.consent('alice', challenge, redirectUri)
    const credentials = await exchange(code)
    await rejection(exchange(code), 'ReconnectNeeded')
    await rejection(exchange(cloud.consent('alice', challenge, redirectUri), 'other'), 'ReconnectNeeded')
    if (!credentials || !oauth) throw new Error('There is no access.')
    const renewed = await oauth.refresh(call(), credentials)
    await rejection(oauth.refresh(call(), credentials), 'ReconnectNeeded')
    const driver = module.open(renewed)
    expect(await driver.identity(call())).toMatchObject({ subject: 'alice', email: 'alice@example.com' })
    await oauth.revoke(call(), renewed)
    await oauth.revoke(call(), renewed)
    await rejection(driver.identity(call()), 'AuthExpired')
    await rejection(oauth.refresh(call(), renewed), 'ReconnectNeeded')
  })

  it('ends access after its time', async () => {
    const { driver, clock } = setUp()
    await clock.advance(3_599_999)
    await driver.quota(call())
    await clock.advance(1)
    await rejection(driver.quota(call()), 'AuthExpired')
  })
})
