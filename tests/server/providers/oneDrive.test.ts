import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { oneDriveModule } from '../../../server/providers/onedrive/module.ts'
import { oauthOf } from '../../setup/providers.ts'
import { type OneDriveStage, startOneDrive } from './oneDriveStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf, readAll } from './providerHarness.ts'

let stage: OneDriveStage
let oneDrive: Driver

beforeEach(async () => {
  stage = await startOneDrive({ pageSize: 4 })
  oneDrive = stage.open()
})
afterEach(() => stage.close())

function store(name: string, bytes: Buffer, parent = oneDrive.root): Promise<Entry> {
  return oneDrive.put(call(), newEntry(parent, name, bytes.length), contentOf(bytes), progressOf())
}

describe('the account', () => {
  it('is named by what does not change', async () => {
    const { subject, email, name } = await oneDrive.identity(call())
    expect([email, name]).toEqual([stage.user, 'Ann Example'])
    expect(subject).toMatch(/^[0-9a-f]{16}$/)
  })

  it('says how much room there is; zeros are unknown', async () => {
    stage.oneDrive.setQuota({ user: stage.user, usedByOthersBytes: 1000 })
    const known = { state: 'KNOWN', usedBytes: 1000, totalBytes: 100_000_000, trashBytes: 0 }
    expect(await oneDrive.quota(call())).toEqual(known)
    const { ref } = await store('a', bytesOf(50))
    stage.oneDrive.trash({ user: stage.user, id: ref })
    expect(await oneDrive.quota(call())).toEqual({ ...known, usedBytes: 1050, trashBytes: 50 })
    stage.oneDrive.changeUser({ user: stage.user, hidesQuota: true })
    expect(await oneDrive.quota(call())).toEqual({ state: 'UNKNOWN', usedBytes: null, totalBytes: null })
  })
})

describe('files and folders', () => {
  it('are found by any case of their names, and a file in place of a folder is a Conflict', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Skypool')
    expect(await oneDrive.ensureFolder(call(), oneDrive.root, 'SKYPOOL')).toBe(folder)
    await store('file', bytesOf(1), folder)
    await failure(oneDrive.ensureFolder(call(), folder, 'file'), 'Conflict')
    await failure(oneDrive.ensureFolder(call(), folder, 'a:b'), 'BadName')
    expect(await stage.paths()).toEqual(['/Skypool', '/Skypool/file'])
    expect((await oneDrive.stat(call(), oneDrive.root)).kind).toBe('folder')
  })

  it('keep their ids when they are moved, from here or from outside, also to the root', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Folder')
    const file = await store('a', bytesOf(10), folder)
    await stage.oneDrive.alter({ user: stage.user, id: file.ref, to: '/Elsewhere/b' })
    expect((await oneDrive.stat(call(), file.ref)).name).toBe('b')
    const moved = await oneDrive.move?.(call(), file.ref, { parent: oneDrive.root })
    expect(moved).toMatchObject({ ref: file.ref, name: 'b' })
    expect(await stage.paths()).toContain('/b')
    await oneDrive.move?.(call(), file.ref, { name: 'B' })
    expect(await stage.paths()).toContain('/B')
    await failure(oneDrive.move?.(call(), file.ref, { name: 'con' }) ?? Promise.resolve(), 'BadName')
    await failure(oneDrive.move?.(call(), folder, { parent: folder }) ?? Promise.resolve(), 'Permanent')
  })

  it('are deleted permanently, and into the recycle bin where a policy refuses that', async () => {
    const recycled = () => stage.oneDrive.users()[0]?.recycledBytes
    await oneDrive.delete(call(), (await store('a', bytesOf(10))).ref)
    expect([await stage.paths(), recycled()]).toEqual([[], 0])
    stage.oneDrive.changeUser({ user: stage.user, refusesPermanentDelete: true })
    await oneDrive.delete(call(), (await store('a', bytesOf(10))).ref)
    expect([await stage.paths(), recycled()]).toEqual([[], 10])
  })

  it('show notebooks without bytes, and shortcuts to other drives', async () => {
    const { id = '' } = await stage.oneDrive.plant({ user: stage.user, path: '/Notes', kind: 'package' })
    await stage.oneDrive.plant({ user: stage.user, path: '/Shared plans', kind: 'remote' })
    const { items } = await oneDrive.list(call(), oneDrive.root, null)
    expect(items.map(({ name, kind, size, hash, details }) => [name, kind, size, hash, details?.nativeKind])).toEqual([
      ['Notes', 'file', null, null, 'OTHER'],
      ['Shared plans', 'file', null, null, 'SHORTCUT'],
    ])
    await failure(oneDrive.get(call(), id as Entry['ref']), 'Forbidden')
  })
})

describe('changes', () => {
  const all = async (from: string) => {
    const changes = []
    for (let cursor = from, hasMore = true; hasMore; ) {
      const page = await oneDrive.changes?.(call(), cursor)
      if (!page) throw new Error('There are no changes.')
      changes.push(...page.changes)
      cursor = page.cursor
      hasMore = page.hasMore
    }
    return changes
  }
  const now = async () => (await oneDrive.changes?.(call(), null))?.cursor ?? ''

  it('contain each item once in its last state, however often OneDrive repeats it, and no folders above', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Folder')
    const cursor = await now()
    stage.oneDrive.repeatItems({ on: true })
    const file = await store('a', bytesOf(10), folder)
    await oneDrive.move?.(call(), file.ref, { name: 'b' })
    const found = await all(cursor)
    expect(found.map(({ ref, entry }) => [ref, entry?.name])).toEqual([[file.ref, 'b']])
    const listed = await oneDrive.listAll?.(call(), null)
    expect(listed?.items.map(({ name }) => name).toSorted()).toEqual(['Folder', 'b'])
  })

  it('report a deleted folder once, and read all pages', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Folder')
    for (let index = 0; index < 9; index += 1) await store(`f${index}`, bytesOf(index), folder)
    const cursor = await now()
    for (let index = 0; index < 9; index += 1) await store(`g${index}`, bytesOf(index))
    await oneDrive.delete(call(), folder)
    const found = await all(cursor)
    expect(found).toHaveLength(10)
    expect(found.at(-1)).toEqual({ ref: folder, entry: null })
  })

  it('are CursorReset when OneDrive asks for a new start, for every kind of place', async () => {
    for (let index = 0; index < 6; index += 1) await store(`f${index}`, bytesOf(index))
    const [changes, everything] = [await now(), (await oneDrive.listAll?.(call(), null))?.cursor ?? '']
    stage.oneDrive.resetDelta()
    await failure(all(changes), 'CursorReset')
    await failure(oneDrive.listAll?.(call(), everything) ?? Promise.resolve(), 'CursorReset')
    await failure(all('https://graph.microsoft.com/v1.0/me/drive/root/delta?token=AAAA'), 'CursorReset')
    // The token must not be sent elsewhere.
    stage.plan({ kind: 'serverError', count: 0 })
    await failure(all('https://example.org/v1.0/me/drive/root/delta'), 'CursorReset')
    await failure(oneDrive.list(call(), oneDrive.root, 'https://example.org/'), 'CursorReset')
  })
})

describe('a download', () => {
  it('goes to another host without the token, and gets another address when that has expired', async () => {
    const bytes = bytesOf(300_000)
    const { ref } = await store('a', bytes)
    expect((await readAll(oneDrive.get(call(), ref, { start: 7, end: 99 }))).equals(bytes.subarray(7, 100))).toBe(true)
    expect(stage.count('download')).toBe(1)
    stage.plan({ kind: 'serverError', operation: 'download', status: 403 })
    expect((await readAll(oneDrive.get(call(), ref))).equals(bytes)).toBe(true)
    expect(stage.count('items.content.get')).toBe(3)
    stage.plan({ kind: 'serverError', operation: 'download', status: 401, count: 2 })
    await failure(oneDrive.get(call(), ref), 'Transient')
  })

  it('breaks when other bytes come than were asked for, whatever the answer says of them', async () => {
    const bytes = bytesOf(300_000)
    const file = await store('a', bytes)
    const operation = 'download'
    for (const fault of [
      { kind: 'shortBody', operation, bytes: 9 },
      { kind: 'shortBody', operation, bytes: 9, agreeing: true },
      { kind: 'cutDown', operation, bytes: 5000 },
      { kind: 'gzip', operation },
      { kind: 'html', operation },
      { kind: 'redirect', operation },
      { kind: 'reset', operation },
    ] as const) {
      for (const range of [undefined, { start: 10, end: 99_999 }]) {
        stage.plan(fault)
        await failure(readAll(oneDrive.get(call(), file.ref, range)), 'Transient')
        stage.clearFaults()
      }
    }
    stage.plan({ kind: 'ignoreRange', operation })
    await failure(readAll(oneDrive.get(call(), file.ref, { start: 10, end: 19 })), 'Transient')
    expect((await readAll(oneDrive.get(call(), file.ref))).equals(bytes)).toBe(true)
    expect(stage.bugs()).toEqual([])
  })
})

describe('a public link', () => {
  it('never lasts longer than asked, and ends with its own link alone', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Folder')
    const file = await store('a', bytesOf(1), folder)
    const at = new Date(Date.now() + 86_400_000)
    const share = (expiresAt: Date | null, ref = file.ref) =>
      oneDrive.share?.(call(), ref, expiresAt) ?? Promise.reject(new Error())
    stage.oneDrive.changeUser({ user: stage.user, canSetExpiry: false })
    await failure(share(at), 'Forbidden')
    stage.oneDrive.changeUser({ user: stage.user, canSetExpiry: true })
    const unlimited = await share(null)
    const link = await share(at)
    expect(link.expiresAt?.getTime()).toBe(Math.floor(at.getTime() / 1000) * 1000)
    expect(link.url).not.toBe(unlimited.url)
    expect(await share(at)).toEqual(link)
    const above = await share(null, folder)
    await oneDrive.unshare?.(call(), file.ref)
    expect((await share(null, folder)).url).toBe(above.url)
    expect((await share(null)).url).not.toBe(link.url)
    stage.oneDrive.changeUser({ user: stage.user, forbidsLinks: true })
    await failure(share(null), 'Forbidden')
  })
})

describe('failures', () => {
  it('of any call are named, and hold no token', async () => {
    const cases = [
      [{ kind: 'expired' }, 'AuthExpired'],
      [{ kind: 'rateLimit' }, 'RateLimited'],
      [{ kind: 'rateLimit', status: 503, retryAfter: 4, reason: 'serviceNotAvailable' }, 'RateLimited'],
      [{ kind: 'serverError', status: 500 }, 'Transient'],
      [{ kind: 'policy' }, 'Forbidden'],
      [{ kind: 'html' }, 'Transient'],
      [{ kind: 'redirect' }, 'Transient'],
      [{ kind: 'refuse' }, 'Transient'],
    ] as const
    for (const [fault, code] of cases) {
      stage.plan(fault)
      const error = await failure(oneDrive.quota(call()), code)
      expect(JSON.stringify([error, error.detail, String((error.detail.cause as Error)?.stack)])).not.toContain('EwB.')
    }
  })

  it('without an access token are those of one that ended: opening alone asks for nothing', async () => {
    const opened = oneDriveModule(stage.deps).open({ expiresAt: null })
    await failure(opened.quota(call()), 'AuthExpired')
    await failure(opened.get(call(), opened.root), 'AuthExpired')
    expect(stage.log()).toEqual([])
  })
})

describe('authorization', () => {
  const redirectUri = 'http://localhost:3000/oauth/onedrive/callback'
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const oauth = (more: object = {}) => {
    const oauth = oauthOf(oneDriveModule({ ...stage.deps, ...more }).signIn)
    if (!oauth) throw new Error('OneDrive has authorization.')
    return oauth
  }

  async function consent(scope?: string): Promise<string> {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: stage.user })
    if (scope) url.searchParams.set('scope', scope)
    const body = new URLSearchParams({ account: stage.user, decision: 'allow' })
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  const connected = async () => oauth().exchange(call(), { code: await consent(), verifier, redirectUri })

  it('asks for what is needed, at Microsoft or at the emulator, of the people who may sign in', () => {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: null })
    expect(url.href.startsWith(`${stage.url}/@login.microsoftonline.com/common/oauth2/v2.0/authorize?`)).toBe(true)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      response_mode: 'query',
      client_id: stage.deps.clientId,
      redirect_uri: redirectUri,
      scope: 'offline_access Files.ReadWrite User.Read',
      prompt: 'select_account',
      state: 's1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const request = { state: 's1', challenge, redirectUri, loginHint: 'a@example.com' }
    const other = oauth({ tenant: 'consumers' }).authorizationUrl(request)
    expect([other.pathname.split('/')[2], other.searchParams.get('login_hint')]).toEqual(['consumers', 'a@example.com'])
    expect(oauth().callbackName).toBe('onedrive')
  })

  it('stores each new refresh token, and a lost answer costs nothing', async () => {
    const credentials = await connected()
    const { open } = oneDriveModule(stage.deps)
    expect((await open(credentials).identity(call())).email).toBe(stage.user)
    stage.oneDrive.expireAccessTokens({ user: stage.user })
    await failure(open(credentials).quota(call()), 'AuthExpired')
    stage.plan({ kind: 'lostReply', operation: 'oauth.token' })
    await failure(oauth().refresh(call(), credentials), 'Transient')
    const renewed = await oauth().refresh(call(), credentials)
    expect(renewed.refreshToken).not.toBe(credentials.refreshToken)
    const again = await oauth().refresh(call(), renewed)
    await open(again).quota(call())
    await oauth().revoke(call(), again)
    stage.oneDrive.revokeUser({ user: stage.user })
    await failure(oauth().refresh(call(), again), 'ReconnectNeeded')
  })

  it('is refused for a wrong verifier, a used code, a missing scope, a wrong secret and another kind of account', async () => {
    const wrong = { code: await consent(), verifier: 'x'.repeat(43), redirectUri }
    await failure(oauth().exchange(call(), wrong), 'ReconnectNeeded')
    const code = await consent()
    await oauth().exchange(call(), { code, verifier, redirectUri })
    await failure(oauth().exchange(call(), { code, verifier, redirectUri }), 'ReconnectNeeded')
    const less = { code: await consent('offline_access User.Read Files.Read'), verifier, redirectUri }
    expect((await failure(oauth().exchange(call(), less), 'Forbidden')).message).toContain('Files.ReadWrite')
    const online = { code: await consent('User.Read Files.ReadWrite'), verifier, redirectUri }
    await failure(oauth().exchange(call(), online), 'ReconnectNeeded')
    const other = { code: await consent(), verifier, redirectUri }
    await failure(oauth({ clientSecret: 'wrong' }).exchange(call(), other), 'Misconfigured')
    await failure(oauth({ clientId: 'wrong' }).exchange(call(), other), 'Misconfigured')
    await failure(oauth({ tenant: 'organizations' }).exchange(call(), other), 'ReconnectNeeded')
  })

  it('never takes an outage for the end of an account', async () => {
    const credentials = await connected()
    const operation = 'oauth.token'
    for (const [fault, code] of [
      [{ kind: 'serverError', operation }, 'Transient'],
      [{ kind: 'rateLimit', operation, retryAfter: 2 }, 'RateLimited'],
      [{ kind: 'html', operation }, 'Transient'],
      [{ kind: 'reset', operation }, 'Transient'],
      [{ kind: 'invalidGrant', operation }, 'ReconnectNeeded'],
    ] as const) {
      stage.plan(fault)
      await failure(oauth().refresh(call(), credentials), code)
    }
  })
})
