import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../server/lib/logger.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { localDriver } from '../../../server/providers/local/driver.ts'
import { createProviders, type ProvidersDeps } from '../../../server/providers/registry.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { createObjectStore } from '../../../server/storage/objectStore.ts'
import type { Fault } from '../../fakes/memory/faults.ts'
import { oauthOf } from '../../setup/providers.ts'
import { call, credentialStore, putBytes, rateLimited, readAll, setUp, transient } from './layersSetup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'skypool-registry-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const client = (name: string) => ({ [`${name}_CLIENT_ID`]: 'client-id', [`${name}_CLIENT_SECRET`]: 'client-secret' })
const ALICE = { id: 'account-1', provider: 'memory' }

async function setUpProviders(given: Partial<ProvidersDeps> = {}) {
  const setup = setUp()
  const { store, state } = credentialStore(setup.credentials)
  const providers = createProviders({
    settings: {},
    store,
    http: createHttp({ emulatorUrl: null }),
    guard: createHostGuard([]),
    localDriver: localDriver(await createObjectStore(dataDir)),
    logger: createLogger('silent'),
    modules: [setup.module],
    clock: setup.clock,
    ...given,
  })
  return { ...setup, state, providers }
}

async function configured(settings: ProvidersDeps['settings']) {
  const { store } = credentialStore({ expiresAt: null })
  return createProviders({
    settings,
    store,
    http: createHttp({ emulatorUrl: null }),
    guard: createHostGuard([]),
    localDriver: localDriver(await createObjectStore(dataDir)),
    logger: createLogger('silent'),
  })
}

/** Forms need no settings: those providers are always there. */
function signedInThere(providers: Awaited<ReturnType<typeof configured>>) {
  return providers
    .catalogue()
    .filter(({ availability, connectsBy }) => availability === 'READY' && connectsBy === 'OAUTH')
}

describe('the providers of this server', () => {
  it('are those that are configured', async () => {
    const none = await configured({ GOOGLE_CLIENT_ID: 'client-id', GOOGLE_CLIENT_SECRET: null })
    expect(oauthOf(none.signIn('google-drive'))).toBeNull()
    expect(signedInThere(none)).toEqual([])
    const both = await configured({ ...client('GOOGLE'), GOOGLE_SCOPE: 'drive.file', ...client('DROPBOX') })
    const ready = signedInThere(both)
    expect(ready.map(({ id }) => id)).toEqual(['google-drive', 'dropbox', 'google-photos'])
    const request = { state: 's', challenge: 'c', redirectUri: 'https://files.example.com/x', loginHint: null }
    for (const [id, host] of [
      ['google-drive', 'accounts.google.com'],
      ['dropbox', 'www.dropbox.com'],
    ] as const) {
      expect(oauthOf(both.signIn(id))?.clientId).toBe('client-id')
      expect(oauthOf(both.signIn(id))?.authorizationUrl(request).host).toBe(host)
      expect(both.open({ id, provider: id }).kind).toBe(id)
    }
  })

  it('say of others that they are not set up', async () => {
    const { providers } = await setUpProviders()
    for (const provider of ['dropbox', 'nonsense']) {
      expect(() => providers.open({ id: 'account-9', provider })).toThrow(ProviderError)
      expect(() => providers.openWith(provider, { expiresAt: null })).toThrow(/Misconfigured/)
      expect(oauthOf(providers.signIn(provider))).toBeNull()
    }
  })
})

describe('the driver of an account', () => {
  it('is one in the process, opened without a call, until it is closed', async () => {
    const { providers, state, calls } = await setUpProviders()
    const driver = providers.open(ALICE)
    expect(providers.open(ALICE)).toBe(driver)
    expect(providers.open({ ...ALICE, id: 'account-2' })).not.toBe(driver)
    expect([state.reads, calls.length]).toEqual([0, 0])
    await driver.quota(call())
    await driver.quota(call())
    expect(state.reads).toBe(1)
    providers.close(ALICE.id)
    expect(providers.open(ALICE)).not.toBe(driver)
    await providers.open(ALICE).quota(call())
    expect(state.reads).toBe(2)
  })

  it('gets over what a service does: ended access, pauses and failures in one upload', async () => {
    const { providers, clock, cloud, faults, calls, state } = await setUpProviders()
    const driver = providers.open(ALICE)
    const bytes = randomBytes(5_000)
    cloud.endAccess('alice')
    const cut: Fault = { kind: 'refused', code: 'Transient', afterBytes: 2_500 }
    faults.push(null, null, rateLimited(3_000), cut, { kind: 'lostReply' })
    const putting = putBytes(driver, bytes)
    await clock.advance(60_000)
    const { ref } = await putting
    expect((await readAll(driver, ref)).equals(bytes)).toBe(true)
    expect(cloud.objects('alice')).toHaveLength(1)
    expect(cloud.accounts.get('alice')?.receivedBytes).toBe(5_000)
    expect(calls.map(({ operation }) => operation)).toEqual(['put', 'refresh', 'put', 'put', 'put', 'put', 'get'])
    expect(state.expired).toEqual([])
  })

  it('of this server is its disk', async () => {
    const { providers } = await setUpProviders()
    const driver = providers.open({ id: 'account-3', provider: 'local' })
    const bytes = randomBytes(1_000)
    const { ref } = await putBytes(driver, bytes)
    expect((await readAll(driver, ref, { start: 10, end: 19 })).equals(bytes.subarray(10, 20))).toBe(true)
  })

  it('on given credentials touches no store', async () => {
    const { providers, credentials, state, cloud, faults, clock } = await setUpProviders()
    const driver = providers.openWith('memory', credentials)
    faults.push(transient)
    const identity = driver.identity(call())
    await clock.advance(1_000)
    expect(await identity).toMatchObject({ subject: 'alice' })
    cloud.endAccess('alice')
    await expect(driver.quota(call())).rejects.toMatchObject({ code: 'AuthExpired' })
    expect(state).toMatchObject({ reads: 0, expired: [] })
  })
})
