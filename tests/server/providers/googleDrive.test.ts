import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChangePage, Driver, Entry, EntryRef } from '../../../server/providers/driver.ts'
import { driveErrorCode, driveFailure } from '../../../server/providers/google-drive/errors.ts'
import { googleDriveModule } from '../../../server/providers/google-drive/module.ts'
import { oauthOf } from '../../setup/providers.ts'
import { type GoogleStage, startGoogle } from './googleStage.ts'
import { bytesOf, call, contentOf, digestOf, failure, newEntry, progressOf, readAll } from './providerHarness.ts'

let stage: GoogleStage
let drive: Driver

beforeEach(async () => {
  stage = await startGoogle({ pageSize: 4 })
  drive = stage.open()
})
afterEach(() => stage.close())

function store(name: string, bytes: Buffer, parent = drive.root): Promise<Entry> {
  return drive.put(call(), newEntry(parent, name, bytes.length), contentOf(bytes), progressOf())
}

describe('the account', () => {
  it('is named by what does not change', async () => {
    const { subject, email, name } = await drive.identity(call())
    expect([email, name]).toEqual([stage.user, 'Ann Example'])
    expect(subject).toMatch(/^\d{20}$/)
    expect((await stage.open().identity(call())).subject).toBe(subject)
  })

  it('says how much room there is, with mail and photos; without a limit it is unlimited', async () => {
    await store('a', bytesOf(100))
    stage.google.setQuota({ user: stage.user, usedByOthersBytes: 1000 })
    expect(await drive.quota(call())).toEqual({
      state: 'KNOWN',
      usedBytes: 1100,
      totalBytes: 100_000_000,
      trashBytes: 0,
    })
    stage.google.setQuota({ user: stage.user, quotaBytes: null })
    expect(await drive.quota(call())).toEqual({ state: 'UNLIMITED', usedBytes: 1100, totalBytes: null, trashBytes: 0 })
  })
})

describe('files and folders', () => {
  it('are listed page by page, without what is in the trash', async () => {
    const folder = await drive.ensureFolder(call(), drive.root, "Ann's \\ folder")
    for (let index = 0; index < 10; index += 1) await store(`f${index}`, bytesOf(index), folder)
    const trashed = await store('trashed', bytesOf(1), folder)
    await stage.alter({ id: trashed.ref, trashed: true })
    const seen: string[] = []
    let pages = 0
    for (let cursor: string | null = null, first = true; first || cursor; first = false) {
      const page: { items: readonly Entry[]; cursor: string | null } = await drive.list(call(), folder, cursor)
      seen.push(...page.items.map(({ name }) => name))
      cursor = page.cursor
      pages += 1
    }
    expect(seen.sort()).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9'])
    expect(pages).toBeGreaterThan(2)
    await failure(drive.stat(call(), trashed.ref), 'NotFound')
  })

  it('are NotFound when they are not there, and a cursor that Drive does not know is CursorReset', async () => {
    const nowhere = 'nothing-here' as EntryRef
    await failure(drive.stat(call(), nowhere), 'NotFound')
    await failure(drive.list(call(), nowhere, null), 'NotFound')
    await failure(drive.get(call(), nowhere), 'NotFound')
    await failure(drive.list(call(), drive.root, 'no-such-page'), 'CursorReset')
    await failure(drive.put(call(), newEntry(nowhere, 'a', 1), contentOf(bytesOf(1)), progressOf()), 'NotFound')
  })

  it('are made once: by the exact name, in that place', async () => {
    const first = await drive.ensureFolder(call(), drive.root, 'Skypool')
    expect(await drive.ensureFolder(call(), drive.root, 'Skypool')).toBe(first)
    expect(await drive.ensureFolder(call(), drive.root, 'SKYPOOL')).not.toBe(first)
    await stage.alter({ id: first, trashed: true })
    expect(await drive.ensureFolder(call(), drive.root, 'Skypool')).not.toBe(first)
  })

  it('are moved, renamed and copied by id, and deleted for good', async () => {
    const folder = await drive.ensureFolder(call(), drive.root, 'Folder')
    const file = await store('a', bytesOf(10))
    const moved = await drive.move?.(call(), file.ref, { parent: folder, name: 'b' })
    expect(moved).toMatchObject({ ref: file.ref, name: 'b', hash: file.hash })
    const copied = await drive.copy?.(call(), file.ref, newEntry(drive.root, 'c', 10), { hash: '', ...progressOf() })
    expect(copied?.ref).not.toBe(file.ref)
    expect((await stage.objects()).map(({ path }) => path)).toEqual(['/Folder', '/Folder/b', '/c'])
    await drive.delete(call(), file.ref)
    await drive.delete(call(), file.ref)
    expect((await stage.objects()).map(({ path }) => path)).toEqual(['/Folder', '/c'])
  })

  it('of a type that Drive makes documents of are kept as bytes', async () => {
    const entry = { ...newEntry(drive.root, 'a', 3), mimeType: 'application/vnd.google-apps.document' }
    const stored = await drive.put(call(), entry, contentOf(Buffer.from('abc')), progressOf())
    expect((await readAll(drive.get(call(), stored.ref))).toString()).toBe('abc')
  })
})

describe('a download', () => {
  const bytes = bytesOf(300_000)
  let file: Entry
  beforeEach(async () => {
    file = await store('a', bytes)
  })

  it('is the whole, or exactly a range', async () => {
    expect((await readAll(drive.get(call(), file.ref))).equals(bytes)).toBe(true)
    for (const [start, end] of [
      [0, 0],
      [5, 70_000],
      [299_999, 299_999],
      [0, 299_999],
    ] as const) {
      const part = await readAll(drive.get(call(), file.ref, { start, end }))
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true)
    }
  })

  it('breaks when fewer bytes come, whatever the answer says of their number', async () => {
    const operation = 'drive.files.download'
    for (const range of [undefined, { start: 10, end: 99_999 }]) {
      for (const fault of [
        { kind: 'shortBody', operation, bytes: 9 },
        { kind: 'shortBody', operation, bytes: 9, agreeing: true },
        { kind: 'cutDown', operation, bytes: 5000 },
        { kind: 'ignoreRange', operation },
        { kind: 'gzip', operation },
        { kind: 'html', operation },
        { kind: 'redirect', operation },
        { kind: 'reset', operation },
      ] as const) {
        stage.plan(fault)
        await failure(readAll(drive.get(call(), file.ref, range)), 'Transient')
        stage.clearFaults()
      }
    }
    expect((await readAll(drive.get(call(), file.ref))).equals(bytes)).toBe(true)
  })

  it('gives the bytes as they are there: the caller knows the hash', async () => {
    stage.plan({ kind: 'flip', operation: 'drive.files.download', at: 7 })
    const flipped = await readAll(drive.get(call(), file.ref))
    expect([flipped.length, flipped.equals(bytes)]).toEqual([bytes.length, false])
  })

  it('gives the owner what Drive takes for malware', async () => {
    await stage.alter({ id: file.ref, abusive: true })
    expect((await readAll(drive.get(call(), file.ref))).equals(bytes)).toBe(true)
  })

  it('ends with the call', async () => {
    const stop = new AbortController()
    const { body } = await drive.get(call(stop.signal), file.ref)
    stop.abort(new Error('enough'))
    await expect(readAll({ body })).rejects.toThrow('enough')
  })
})

describe('changes', () => {
  it('begin now, and tell what came, changed and went', async () => {
    await store('before', bytesOf(1))
    const changes = (cursor: string | null): Promise<ChangePage> =>
      drive.changes?.(call(), cursor) ?? Promise.reject(new Error('none'))
    const start = await changes(null)
    expect(start).toMatchObject({ changes: [], hasMore: false })
    const [one, two, three] = [
      await store('one', bytesOf(1)),
      await store('two', bytesOf(2)),
      await store('3', bytesOf(3)),
    ]
    await drive.delete(call(), one.ref)
    await stage.alter({ id: two.ref, trashed: true })
    const told = new Map<EntryRef | null, string | null>()
    let page = start
    do {
      page = await changes(page.cursor)
      for (const { ref, entry } of page.changes) told.set(ref, entry?.name ?? null)
    } while (page.hasMore)
    expect(Object.fromEntries(told)).toEqual({ [one.ref]: null, [two.ref]: null, [three.ref]: '3' })
    for (let index = 0; index < 6; index += 1) await store(`more${index}`, bytesOf(1))
    const first = await changes(page.cursor)
    const second = await changes(first.cursor)
    expect([first.hasMore, second.hasMore]).toEqual([true, false])
    expect(first.changes.length + second.changes.length).toBe(6)
    await failure(changes('not-a-cursor'), 'CursorReset')
  })
})

describe('a public link', () => {
  it('is one, and is gone when it is taken back; one that ends is refused', async () => {
    const file = await store('a', bytesOf(1))
    const link = await drive.share?.(call(), file.ref, null)
    expect(await drive.share?.(call(), file.ref, null)).toEqual(link)
    const anyone = async () => (await stage.objects())[0]?.permissions.filter(({ type }) => type === 'anyone')
    expect(await anyone()).toHaveLength(1)
    const refused = drive.share?.(call(), file.ref, new Date('2030-01-01')) ?? Promise.resolve()
    await failure(refused, 'Forbidden')
    await drive.unshare?.(call(), file.ref)
    await drive.unshare?.(call(), file.ref)
    expect(await anyone()).toHaveLength(0)
    stage.plan({ kind: 'policy', operation: 'drive.permissions.create' })
    await failure(drive.share?.(call(), file.ref, null) ?? Promise.resolve(), 'Forbidden')
  })
})

describe('failures', () => {
  it('of any call are named, and hold no token', async () => {
    const cases = [
      [{ kind: 'expired' }, 'AuthExpired'],
      [{ kind: 'rateLimit', retryAfter: 3 }, 'RateLimited'],
      [{ kind: 'rateLimit', status: 429 }, 'RateLimited'],
      [{ kind: 'serverError', status: 500 }, 'Transient'],
      [{ kind: 'policy' }, 'Forbidden'],
      [{ kind: 'html' }, 'Transient'],
      [{ kind: 'redirect' }, 'Transient'],
      [{ kind: 'refuse' }, 'Transient'],
      [{ kind: 'cutDown', bytes: 10 }, 'Transient'],
    ] as const
    for (const [fault, code] of cases) {
      stage.plan(fault)
      const error = await failure(drive.quota(call()), code)
      const deep = JSON.stringify([error, error.detail, String((error.detail.cause as Error)?.stack)])
      expect(deep).not.toContain('ya29.')
      stage.clearFaults()
    }
    const stop = new AbortController()
    stage.plan({ kind: 'blackhole' })
    const asked = drive.quota(call(stop.signal))
    setTimeout(() => stop.abort(new Error('enough')), 20)
    await expect(asked).rejects.toThrow('enough')
  })

  it('without an access token are those of one that ended: opening alone asks for nothing', async () => {
    const opened = googleDriveModule(stage.deps).open({ expiresAt: null })
    await failure(opened.quota(call()), 'AuthExpired')
    await failure(opened.get(call(), opened.root), 'AuthExpired')
  })

  it('have one table', () => {
    const cases = [
      [401, 'authError', null, 'AuthExpired'],
      [401, null, null, 'AuthExpired'],
      [403, 'userRateLimitExceeded', null, 'RateLimited'],
      [429, 'rateLimitExceeded', null, 'RateLimited'],
      [429, null, null, 'RateLimited'],
      [403, 'storageQuotaExceeded', null, 'QuotaExceeded'],
      [403, 'teamDriveFileLimitExceeded', null, 'QuotaExceeded'],
      [403, 'dailyLimitExceeded', null, 'Forbidden'],
      [403, 'downloadQuotaExceeded', null, 'Forbidden'],
      [403, 'publishOutNotPermitted', null, 'Forbidden'],
      [403, 'insufficientFilePermissions', null, 'Forbidden'],
      [403, 'insufficientPermissions', null, 'ReconnectNeeded'],
      [403, 'accessNotConfigured', null, 'Misconfigured'],
      [404, 'notFound', 'fileId', 'NotFound'],
      [404, null, null, 'NotFound'],
      [409, 'fileIdInUse', null, 'Conflict'],
      [400, 'invalid', 'pageToken', 'CursorReset'],
      [400, 'invalid', 'q', 'Permanent'],
      [413, null, null, 'TooLarge'],
      [500, 'backendError', null, 'Transient'],
      [503, null, null, 'Transient'],
      [418, 'teapot', null, 'Permanent'],
    ] as const
    for (const [status, reason, location, code] of cases) {
      expect(driveErrorCode({ status, reason, location, message: null }), `${status} ${reason}`).toBe(code)
    }
    const daily = { error: { errors: [{ reason: 'userRateLimitExceeded', message: 'User rate limit exceeded.' }] } }
    expect(driveErrorCode(driveFailure(403, daily))).toBe('Forbidden')
    expect(driveFailure(500, '<html>')).toEqual({ status: 500, reason: null, location: null, message: null })
  })
})

describe('authorization', () => {
  const redirectUri = 'http://localhost:3000/oauth/google/callback'
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const oauth = (more: object = {}) => {
    const oauth = oauthOf(googleDriveModule({ ...stage.deps, ...more }).signIn)
    if (!oauth) throw new Error('Google has authorization.')
    return oauth
  }

  async function consent(scopes = ['https://www.googleapis.com/auth/drive']): Promise<string> {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: stage.user })
    const form = new URLSearchParams([
      ['account', stage.user],
      ['decision', 'allow'],
      ...scopes.map((one) => ['scope', one]),
    ])
    const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }

  it('asks for what is needed, at Google or at the emulator', () => {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: null })
    expect(url.href.startsWith(`${stage.url}/@accounts.google.com/o/oauth2/v2/auth?`)).toBe(true)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: stage.deps.clientId,
      redirect_uri: redirectUri,
      scope: 'https://www.googleapis.com/auth/drive profile email openid',
      access_type: 'offline',
      prompt: 'consent select_account',
      state: 's1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    expect([oauth().callbackName, oauth().clientId]).toEqual(['google', stage.deps.clientId])
    const again = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: stage.user })
    expect([again.searchParams.get('prompt'), again.searchParams.get('login_hint')]).toEqual(['consent', stage.user])
  })

  it('gives credentials that work, are renewed, and end when they are revoked', async () => {
    const credentials = await oauth().exchange(call(), { code: await consent(), verifier, redirectUri })
    expect(Date.parse(credentials.expiresAt ?? '')).toBeGreaterThan(Date.now() + 3_000_000)
    const { open } = googleDriveModule(stage.deps)
    expect((await open(credentials).identity(call())).email).toBe(stage.user)
    stage.google.expireAccessTokens({ user: stage.user })
    await failure(open(credentials).quota(call()), 'AuthExpired')
    const renewed = await oauth().refresh(call(), credentials)
    expect(renewed.refreshToken).toBe(credentials.refreshToken)
    await open(renewed).quota(call())
    await oauth().revoke(call(), renewed)
    await oauth().revoke(call(), renewed)
    await failure(oauth().refresh(call(), renewed), 'ReconnectNeeded')
  })

  it('is refused for a wrong verifier, a used code, an unticked scope and a wrong secret', async () => {
    const code = await consent()
    await failure(oauth().exchange(call(), { code, verifier: 'x'.repeat(43), redirectUri }), 'ReconnectNeeded')
    await failure(oauth().exchange(call(), { code, verifier, redirectUri }), 'ReconnectNeeded')
    const unticked = await consent([])
    const error = await failure(oauth().exchange(call(), { code: unticked, verifier, redirectUri }), 'Forbidden')
    expect(error.message).toContain('auth/drive')
    const grant = { code: await consent(), verifier, redirectUri }
    await failure(oauth({ clientSecret: 'wrong' }).exchange(call(), grant), 'Misconfigured')
  })

  it('never takes an outage for the end of an account', async () => {
    const credentials = await oauth().exchange(call(), { code: await consent(), verifier, redirectUri })
    const operation = 'oauth.token.refresh'
    for (const [fault, code] of [
      [{ kind: 'serverError', operation }, 'Transient'],
      [{ kind: 'rateLimit', operation }, 'RateLimited'],
      [{ kind: 'html', operation }, 'Transient'],
      [{ kind: 'reset', operation }, 'Transient'],
      [{ kind: 'invalidGrant', operation }, 'ReconnectNeeded'],
      [{ kind: 'policy', operation }, 'ReconnectNeeded'],
    ] as const) {
      stage.plan(fault)
      const error = await failure(oauth().refresh(call(), credentials), code)
      expect(JSON.stringify([error.message, error.detail])).not.toContain(credentials.refreshToken)
    }
    await failure(oauth({ clientId: 'nobody' }).refresh(call(), credentials), 'Misconfigured')
    stage.plan({ kind: 'serverError', operation: 'oauth.revoke' })
    await failure(oauth().revoke(call(), credentials), 'Transient')
  })
})

describe('with the scope of own files', () => {
  it('stores, lists and reads what was made here', async () => {
    const own = await startGoogle({}, 'drive.file')
    const driver = own.open()
    const folder = await driver.ensureFolder(call(), driver.root, 'Skypool')
    expect(await driver.ensureFolder(call(), driver.root, 'Skypool')).toBe(folder)
    const content = contentOf(bytesOf(10))
    const entry = await driver.put(call(), newEntry(folder, 'a', 10), content, progressOf())
    expect(entry.hash).toBe(digestOf('md5', content.bytes))
    expect((await driver.list(call(), folder, null)).items).toHaveLength(1)
    await own.close()
  })
})
