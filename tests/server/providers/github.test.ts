import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Credentials, Driver, EntryRef } from '../../../server/providers/driver.ts'
import type { ProviderErrorCode } from '../../../server/providers/errors.ts'
import { githubErrorCode } from '../../../server/providers/github/errors.ts'
import { githubModule } from '../../../server/providers/github/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { bytesOf, call, expectSame, listAll, progressFrom, put, read, rejection } from '../../conformance/kit.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createGithub, GITHUB_APP, GITHUB_OAUTH_APP, type GithubService } from '../../fakes/github/github.ts'
import type { Client } from '../../fakes/github/state.ts'
import { allow } from '../../tools/demo/skypool.ts'

const user = 'ann@example.com'
const redirectUri = 'https://skypool.example/oauth/github/callback'
const VERIFIER = 'a'.repeat(43)
const CHALLENGE = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA'

let github: GithubService
let emulators: Emulators
let ahead: number

beforeEach(async () => {
  ahead = 0
  github = createGithub({ clock: now })
  emulators = await startEmulators({ services: [github] })
  github.commands.addUser({ email: user, login: 'ann' })
})
afterEach(async () => {
  expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  await emulators.close()
})

const now = (): number => Date.now() + ahead

function moduleOf({ id, secret }: Client) {
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  return githubModule({ http, clientId: id, clientSecret: secret, now })
}

function oauthOf(client: Client) {
  const { signIn } = moduleOf(client)
  if (signIn.by !== 'OAUTH') throw new Error('GitHub is connected by OAuth.')
  return signIn.oauth
}

async function signIn(client: Client): Promise<Credentials> {
  const oauth = oauthOf(client)
  const request = { state: 'state', challenge: CHALLENGE, redirectUri, loginHint: null }
  const code = await allow(oauth.authorizationUrl(request).href, user)
  return oauth.exchange(call(), { code, verifier: VERIFIER, redirectUri })
}

/** A private repository that the app is installed for. */
function install(name = 'store', given: { hasCommit?: boolean; isPrivate?: boolean } = {}): string {
  const { id } = github.commands.addRepository({ user, repository: name, hasCommit: true, ...given })
  github.commands.install({ user, repositories: [name] })
  return String(id)
}

function opened(repository: string): Driver {
  const { access_token: accessToken } = github.commands.mintToken({ user })
  return moduleOf(GITHUB_APP).open({ accessToken, repository, expiresAt: null })
}

const count = (operation: string): number => emulators.log().filter((one) => one.operation === operation).length
const objects = () => github.commands.objects({ user })

describe('signing in with a GitHub App', () => {
  it('uses the private repository that the app is installed for, and tokens that are renewed', async () => {
    const repository = install()
    const credentials = await signIn(GITHUB_APP)
    expect(credentials).toMatchObject({ repository, accessToken: expect.stringMatching(/^ghu_/) })
    expect(Date.parse(credentials.expiresAt ?? '')).toBeGreaterThan(now() + 7 * 3_600_000)
    const renewed = await oauthOf(GITHUB_APP).refresh(call(), credentials)
    expect(renewed).toMatchObject({ repository })
    const { open } = moduleOf(GITHUB_APP)
    expect(await open(renewed).identity(call())).toMatchObject({
      name: 'ann',
      email: null,
      place: expect.stringMatching(/^ann\/./),
    })
    await rejection(open(credentials).identity(call()), 'AuthExpired')
    await rejection(oauthOf(GITHUB_APP).refresh(call(), credentials), 'ReconnectNeeded')
  })

  it('says what to do where it is installed for no private repository, or for several', async () => {
    expect((await rejection(signIn(GITHUB_APP), 'Forbidden')).detail.message).toContain('Install it at GitHub')
    install('open', { isPrivate: false })
    expect((await rejection(signIn(GITHUB_APP), 'Forbidden')).detail.message).toContain('Install it at GitHub')
    for (const name of ['one', 'two']) github.commands.addRepository({ user, repository: name })
    github.commands.install({ user, repositories: ['one', 'two'] })
    expect((await rejection(signIn(GITHUB_APP), 'Forbidden')).detail.message).toContain('2 private repositories')
    const { id } = github.commands.addRepository({ user, repository: 'skypool-storage' })
    github.commands.install({ user, repositories: ['one', 'two', 'skypool-storage'] })
    expect(await signIn(GITHUB_APP)).toMatchObject({ repository: String(id) })
  })

  it('tells a wrong client from a wrong code, and an outage from both', async () => {
    install()
    const grant = { code: 'unknown', verifier: VERIFIER, redirectUri }
    await rejection(oauthOf(GITHUB_APP).exchange(call(), grant), 'ReconnectNeeded')
    await rejection(oauthOf({ ...GITHUB_APP, secret: 'other' }).exchange(call(), grant), 'Misconfigured')
    emulators.plan({ kind: 'serverError', operation: 'oauth.token' })
    await rejection(oauthOf(GITHUB_APP).exchange(call(), grant), 'Transient')
  })

  it('ends the grant of the user, once', async () => {
    install()
    const credentials = await signIn(GITHUB_APP)
    await oauthOf(GITHUB_APP).revoke(call(), credentials)
    expect(github.commands.grants({ user })).toEqual({ count: 0 })
    await oauthOf(GITHUB_APP).revoke(call(), credentials)
    await rejection(moduleOf(GITHUB_APP).open(credentials).quota(call()), 'AuthExpired')
    const idle = await signIn(GITHUB_APP)
    github.commands.expireAccessTokens({ user })
    await oauthOf(GITHUB_APP).revoke(call(), idle)
    expect(github.commands.grants({ user })).toEqual({ count: 0 })
  })
})

describe('signing in with an OAuth app', () => {
  it('makes a private repository once, and finds it again under another name', async () => {
    const first = await signIn(GITHUB_OAUTH_APP)
    expect(first).toMatchObject({ refreshToken: null, expiresAt: null })
    expect(await signIn(GITHUB_OAUTH_APP)).toMatchObject({ repository: first.repository })
    github.commands.rename({ user, repository: 'skypool-storage', to: 'attic' })
    expect(await signIn(GITHUB_OAUTH_APP)).toMatchObject({ repository: first.repository })
    expect(count('repos.create')).toBe(1)
    const driver = moduleOf(GITHUB_OAUTH_APP).open(first)
    await put(driver, 'plan.txt', bytesOf(10))
    expect(objects()).toMatchObject([{ repository: 'attic', label: 'plan.txt' }])
  })

  it('takes no public repository', async () => {
    github.commands.addRepository({ user, repository: 'skypool-storage', isPrivate: false })
    expect((await rejection(signIn(GITHUB_OAUTH_APP), 'Forbidden')).detail.message).toContain('public')
  })
})

describe('the repository', () => {
  it('gets a commit where it has none, and a release for each thousand files', async () => {
    const driver = opened(install('store', { hasCommit: false }))
    github.commands.settings({ assetsPerRelease: 2 })
    for (const index of [1, 2, 3]) await put(driver, `${index}.bin`, bytesOf(index))
    expect(objects().map(({ release }) => release)).toEqual(['skypool-1', 'skypool-1', 'skypool-2'])
    expect([count('contents.put'), count('releases.create')]).toEqual([1, 3])
    expect((await listAll(driver)).map(({ name }) => name)).toEqual(['1.bin', '2.bin', '3.bin'])
  })

  it('whose releases other servers have filled gets the next one', async () => {
    const repository = install()
    const [late, other] = [opened(repository), opened(repository)]
    github.commands.settings({ assetsPerRelease: 1 })
    await put(late, 'first.bin', bytesOf(1))
    for (const index of [2, 3]) await put(other, `${index}.bin`, bytesOf(index))
    await put(late, 'last.bin', bytesOf(4))
    expect(objects().at(-1)).toMatchObject({ label: 'last.bin', release: 'skypool-4' })
  })

  it('gets one release, whoever is first', async () => {
    const repository = install()
    const servers = [opened(repository), opened(repository), opened(repository)]
    await Promise.all(servers.map((driver, index) => put(driver, `${index}.bin`, bytesOf(index + 1))))
    expect(objects().map(({ release }) => release)).toEqual(['skypool-1', 'skypool-1', 'skypool-1'])
  })

  it('is found under a new name, and takes nothing while it is public or archived', async () => {
    const driver = opened(install())
    const { ref } = await put(driver, 'plan.txt', bytesOf(10))
    github.commands.rename({ user, repository: 'store', to: 'attic' })
    await rejection(driver.stat(call(), ref), 'Transient')
    expect(await driver.stat(call(), ref)).toMatchObject({ name: 'plan.txt', size: 10 })
    github.commands.rename({ user, repository: 'attic', to: 'cellar' })
    await rejection(read(driver, ref), 'Transient')
    expectSame(await read(driver, ref), bytesOf(10))
    github.commands.change({ user, repository: 'cellar', isPrivate: false })
    await driver.quota(call())
    await rejection(put(driver, 'other.txt', bytesOf(5)), 'Forbidden')
    github.commands.change({ user, repository: 'cellar', isPrivate: true, isArchived: true })
    await driver.quota(call())
    await rejection(put(driver, 'other.txt', bytesOf(5)), 'Forbidden')
    expectSame(await read(driver, ref), bytesOf(10))
  })

  it('that GitHub hides makes no file missing: the account has to be connected again', async () => {
    const driver = opened(install())
    const { ref } = await put(driver, 'plan.txt', bytesOf(10))
    await rejection(driver.stat(call(), '999' as EntryRef), 'NotFound')
    github.commands.install({ user, repositories: [] })
    await rejection(driver.stat(call(), ref), 'AuthExpired')
    await rejection(read(driver, ref), 'AuthExpired')
    await rejection(driver.delete(call(), ref), 'AuthExpired')
    await rejection(put(driver, 'other.txt', bytesOf(5)), 'AuthExpired')
    await rejection(driver.quota(call()), 'AuthExpired')
    github.commands.install({ user, repositories: ['store'] })
    expectSame(await read(driver, ref), bytesOf(10))
  })

  it('whose release was deleted gets another one', async () => {
    const driver = opened(install())
    await put(driver, 'gone.txt', bytesOf(10))
    github.commands.removeRelease({ user, repository: 'store', release: 'skypool-1' })
    await put(driver, 'plan.txt', bytesOf(11))
    expect(objects()).toMatchObject([{ label: 'plan.txt', release: 'skypool-1' }])
  })
})

describe('an upload', () => {
  it('that was cut is deleted and sent again, by its session alone', async () => {
    const repository = install()
    const progress = progressFrom()
    emulators.plan({ kind: 'cutUp', operation: 'assets.upload', bytes: 1000 })
    await rejection(put(opened(repository), 'plan.bin', bytesOf(5000), { progress }), 'Transient')
    expect(objects()).toMatchObject([{ state: 'starter' }])
    const [{ id = 0 } = {}] = objects()
    await put(opened(repository), 'plan.bin', bytesOf(5000), { progress: progressFrom(progress.saved) })
    expect(objects()).toMatchObject([{ state: 'uploaded', size: 5000 }])
    expect(objects().map((one) => one.id)).not.toContain(id)
  })

  it('whose answer was lost is not sent again, and one that was abandoned is deleted unless it is needed', async () => {
    const driver = opened(install())
    const progress = progressFrom()
    emulators.plan({ kind: 'lostReply', operation: 'assets.upload' })
    await rejection(put(driver, 'plan.bin', bytesOf(5000), { progress }), 'Transient')
    const { ref } = await put(driver, 'plan.bin', bytesOf(5000), { progress: progressFrom(progress.saved) })
    expect(count('assets.upload')).toBe(1)
    await driver.abandon(call(), progress.saved ?? '', async (known) => known === ref)
    expect(objects()).toHaveLength(1)
    await driver.abandon(call(), progress.saved ?? '')
    expect(objects()).toEqual([])
  })

  it('of another content than was stored under its session is deleted and sent', async () => {
    const driver = opened(install())
    const progress = progressFrom()
    await put(driver, 'plan.bin', bytesOf(5000), { progress })
    const { ref } = await put(driver, 'plan.bin', bytesOf(5000, 2), { progress: progressFrom(progress.saved) })
    expectSame(await read(driver, ref), bytesOf(5000, 2))
    expect(objects()).toHaveLength(1)
  })
})

it('content that GitHub sends without a redirect is read, too', async () => {
  const driver = opened(install())
  github.commands.settings({ isDirect: true })
  const { ref } = await put(driver, 'plan.bin', bytesOf(5000))
  expectSame(await read(driver, ref), bytesOf(5000))
  expectSame(await read(driver, ref, { start: 10, end: 19 }), bytesOf(5000).subarray(10, 20))
})

it('a file gets another name, and keeps its content', async () => {
  const driver = opened(install())
  const { ref } = await put(driver, 'plan.bin', bytesOf(5000))
  expect(await driver.move?.(call(), ref, { name: 'Plän & more.bin' })).toMatchObject({ ref, name: 'Plän & more.bin' })
  expect((await listAll(driver)).map(({ name }) => name)).toEqual(['Plän & more.bin'])
  expectSame(await read(driver, ref), bytesOf(5000))
  const renamed = async (to: { parent?: EntryRef; name?: string }) => driver.move?.(call(), ref, to)
  await rejection(renamed({ name: 'n'.repeat(201) }), 'BadName')
  await rejection(renamed({ parent: 'elsewhere' as EntryRef }), 'NotFound')
  await driver.delete(call(), ref)
  await rejection(renamed({ name: 'gone.bin' }), 'NotFound')
})

describe('a limit', () => {
  it('of an hour pauses until it is over', async () => {
    const driver = opened(install())
    github.commands.settings({ callsPerHour: 3 })
    for (let calls = 0; calls < 3; calls += 1) await driver.quota(call())
    const { detail } = await rejection(driver.quota(call()), 'RateLimited')
    expect(detail.retryAfterMs).toBeGreaterThan(3_590_000)
    ahead += 3_600_000
    await driver.quota(call())
  })

  it('of new contents pauses as long as GitHub asks, and a minute where it does not', async () => {
    const driver = opened(install())
    github.commands.settings({ createdPerMinute: 2 })
    await put(driver, 'one.bin', bytesOf(1))
    expect((await rejection(put(driver, 'two.bin', bytesOf(2)), 'RateLimited')).detail.retryAfterMs).toBe(60_000)
    emulators.plan({ kind: 'rateLimit' })
    expect((await rejection(driver.quota(call()), 'RateLimited')).detail.retryAfterMs).toBe(60_000)
  })

  it('is not what the app may not do', async () => {
    const driver = opened(install())
    emulators.plan({ kind: 'policy' })
    await rejection(driver.quota(call()), 'Forbidden')
  })
})

describe('an error', () => {
  const refused = (field: string, code: string) => [{ field, code, message: '' }]
  const cases: readonly (readonly [number, ReturnType<typeof refused>, ProviderErrorCode])[] = [
    [400, [], 'Permanent'],
    [401, [], 'AuthExpired'],
    [403, [], 'Forbidden'],
    [404, [], 'NotFound'],
    [409, [], 'Conflict'],
    [422, [], 'Permanent'],
    [422, refused('name', 'already_exists'), 'Conflict'],
    [422, refused('size', 'custom'), 'TooLarge'],
    [422, refused('label', 'invalid'), 'BadName'],
    [422, refused('file_count', 'custom'), 'Transient'],
    [451, [], 'Forbidden'],
    [502, [], 'Transient'],
  ]
  it.each(cases)('of %s %o is %s', (status, errors, code) => {
    expect(githubErrorCode({ status, message: '', refused: errors, pauseMs: null })).toBe(code)
  })
})
