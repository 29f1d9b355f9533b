import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { headerJson } from '../../../server/providers/dropbox/client.ts'
import { dropboxErrorCode, dropboxFailure } from '../../../server/providers/dropbox/errors.ts'
import { dropboxModule } from '../../../server/providers/dropbox/module.ts'
import { oauthOf } from '../../setup/providers.ts'
import { type DropboxStage, startDropbox } from './dropboxStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf, readAll } from './providerHarness.ts'

let stage: DropboxStage
let dropbox: Driver

beforeEach(async () => {
  stage = await startDropbox({ pageSize: 4 })
  dropbox = stage.open()
})
afterEach(() => stage.close())

function store(name: string, bytes: Buffer, parent = dropbox.root): Promise<Entry> {
  return dropbox.put(call(), newEntry(parent, name, bytes.length), contentOf(bytes), progressOf())
}

describe('the account', () => {
  it('is named by what does not change', async () => {
    const { subject, email, name } = await dropbox.identity(call())
    expect([email, name]).toEqual([stage.user, 'Ann Example'])
    expect(subject).toMatch(/^dbid:/)
  })

  it('says how much room there is: its own, or its share of the team', async () => {
    stage.dropbox.setQuota({ user: stage.user, usedByOthersBytes: 1000 })
    expect(await dropbox.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 1000, totalBytes: 100_000_000 })
    const team = { name: 'Team', used: 5000, allocated: 9000, memberAllocated: 0 }
    stage.dropbox.changeUser({ user: stage.user, team })
    expect(await dropbox.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 6000, totalBytes: 9000 })
    stage.dropbox.changeUser({ user: stage.user, team: { ...team, memberAllocated: 2000 } })
    expect(await dropbox.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 1000, totalBytes: 2000 })
    stage.dropbox.changeUser({ user: stage.user, team: { ...team, allocated: 0 } })
    expect((await dropbox.quota(call())).state).toBe('UNKNOWN')
  })
})

describe('files and folders', () => {
  it('of a page that Dropbox does not know any more are CursorReset', async () => {
    for (let index = 0; index < 6; index += 1) await store(`f${index}`, bytesOf(index))
    const page = await dropbox.list(call(), dropbox.root, null)
    expect(page.items).toHaveLength(4)
    stage.dropbox.resetCursors()
    await failure(dropbox.list(call(), dropbox.root, page.cursor), 'CursorReset')
    await failure(dropbox.list(call(), dropbox.root, 'nonsense'), 'CursorReset')
  })

  it('are found by any case of their names, and a file in place of a folder is a Conflict', async () => {
    const folder = await dropbox.ensureFolder(call(), dropbox.root, 'Skypool')
    expect(await dropbox.ensureFolder(call(), dropbox.root, 'SKYPOOL')).toBe(folder)
    const inner = await dropbox.ensureFolder(call(), folder, 'Inner')
    expect(await dropbox.ensureFolder(call(), folder, 'inner')).toBe(inner)
    await store('file', bytesOf(1), folder)
    await failure(dropbox.ensureFolder(call(), folder, 'file'), 'Conflict')
    expect(await stage.paths()).toEqual(['/Skypool', '/Skypool/Inner', '/Skypool/file'])
    expect(await dropbox.stat(call(), dropbox.root)).toMatchObject({ kind: 'folder', ref: dropbox.root })
  })

  it('keep their ids when they are moved from outside', async () => {
    const file = await store('a', bytesOf(10))
    await stage.dropbox.alter({ user: stage.user, id: file.ref, to: '/Elsewhere/b' })
    expect((await dropbox.stat(call(), file.ref)).name).toBe('b')
    expect((await readAll(dropbox.get(call(), file.ref))).equals(bytesOf(10))).toBe(true)
  })
})

describe('a download', () => {
  it('breaks when other bytes come than were asked for, whatever the answer says of them', async () => {
    const bytes = bytesOf(300_000)
    const file = await store('a', bytes)
    const operation = 'files/download'
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
        await failure(readAll(dropbox.get(call(), file.ref, range)), 'Transient')
        stage.clearFaults()
      }
    }
    stage.plan({ kind: 'ignoreRange', operation })
    await failure(readAll(dropbox.get(call(), file.ref, { start: 10, end: 19 })), 'Transient')
    expect((await readAll(dropbox.get(call(), file.ref))).equals(bytes)).toBe(true)
    expect(stage.bugs()).toEqual([])
  })
})

describe('a public link', () => {
  it('is one, whose end can be moved and taken away; a plan that cannot end links refuses', async () => {
    const file = await store('a', bytesOf(1))
    const at = new Date(Date.now() + 86_400_000)
    const share = (expiresAt: Date | null) =>
      dropbox.share?.(call(), file.ref, expiresAt) ?? Promise.reject(new Error())
    stage.dropbox.changeUser({ user: stage.user, canSetExpiry: false })
    await failure(share(at), 'Forbidden')
    stage.dropbox.changeUser({ user: stage.user, canSetExpiry: true })
    const link = await share(at)
    expect(link.expiresAt?.getTime()).toBe(Math.floor(at.getTime() / 1000) * 1000)
    expect(await share(at)).toEqual(link)
    expect(await share(null)).toEqual({ url: link.url, expiresAt: null })
    await dropbox.unshare?.(call(), file.ref)
    expect((await share(null)).expiresAt).toBeNull()
    await dropbox.unshare?.(call(), file.ref)
    stage.dropbox.changeUser({ user: stage.user, emailVerified: false })
    await failure(share(null), 'Forbidden')
  })
})

describe('failures', () => {
  it('of any call are named, and hold no token', async () => {
    const cases = [
      [{ kind: 'expired' }, 'AuthExpired'],
      [{ kind: 'rateLimit' }, 'RateLimited'],
      [{ kind: 'serverError', status: 500 }, 'Transient'],
      [{ kind: 'policy' }, 'Forbidden'],
      [{ kind: 'html' }, 'Transient'],
      [{ kind: 'redirect' }, 'Transient'],
      [{ kind: 'refuse' }, 'Transient'],
    ] as const
    for (const [fault, code] of cases) {
      stage.plan(fault)
      const error = await failure(dropbox.quota(call()), code)
      expect(JSON.stringify([error, error.detail, String((error.detail.cause as Error)?.stack)])).not.toContain('sl.')
    }
    stage.dropbox.changeUser({ user: stage.user, suspended: true })
    await failure(dropbox.quota(call()), 'Forbidden')
  })

  it('without an access token are those of one that ended: opening alone asks for nothing', async () => {
    const opened = dropboxModule(stage.deps).open({ expiresAt: null })
    await failure(opened.quota(call()), 'AuthExpired')
    await failure(opened.get(call(), opened.root), 'AuthExpired')
  })

  it('have one table, by tags at any depth', () => {
    const tagged = (...names: string[]): object =>
      names.reduceRight<object>((inner, name) => ({ '.tag': name, [name]: inner }), {})
    const cases = [
      [401, tagged('expired_access_token'), 'AuthExpired'],
      [401, tagged('missing_scope'), 'ReconnectNeeded'],
      [401, undefined, 'AuthExpired'],
      [403, tagged('no_permission'), 'Forbidden'],
      [409, tagged('path', 'not_found'), 'NotFound'],
      [409, tagged('path_lookup', 'not_found'), 'NotFound'],
      [409, tagged('path', 'conflict', 'file'), 'Conflict'],
      [409, { '.tag': 'path', reason: tagged('insufficient_space'), upload_session_id: 'x' }, 'QuotaExceeded'],
      [409, { '.tag': 'path', reason: tagged('conflict', 'folder') }, 'Conflict'],
      [409, tagged('to', 'conflict', 'file'), 'Conflict'],
      [409, tagged('insufficient_quota'), 'QuotaExceeded'],
      [409, tagged('path', 'disallowed_name'), 'BadName'],
      [409, tagged('path', 'malformed_path'), 'BadName'],
      [409, tagged('path', 'no_write_permission'), 'Forbidden'],
      [409, tagged('path', 'too_many_write_operations'), 'RateLimited'],
      [409, tagged('payload_too_large'), 'TooLarge'],
      [409, tagged('content_hash_mismatch'), 'Corrupt'],
      [409, tagged('reset'), 'CursorReset'],
      [409, tagged('settings_error', 'not_authorized'), 'Forbidden'],
      [409, tagged('something_new'), 'Permanent'],
      [429, { reason: { '.tag': 'too_many_requests' }, retry_after: 3 }, 'RateLimited'],
      [429, undefined, 'RateLimited'],
      [500, tagged('path', 'not_found'), 'Transient'],
      [503, undefined, 'Transient'],
      [400, undefined, 'Permanent'],
    ] as const
    for (const [status, error, code] of cases) {
      expect(dropboxErrorCode(dropboxFailure(status, { error })), JSON.stringify(error)).toBe(code)
    }
    expect(dropboxErrorCode(dropboxFailure(400, 'Error in call'))).toBe('Permanent')
    const offset = tagged('lookup_failed')
    Object.assign(offset, { lookup_failed: { '.tag': 'incorrect_offset', correct_offset: 7 } })
    expect(dropboxFailure(409, { error: offset }).correctOffset).toBe(7)
    expect(dropboxFailure(429, { error: { retry_after: 3 } }).retryAfterSeconds).toBe(3)
  })

  it('do not come from names in headers', () => {
    expect(headerJson({ path: '/é\u007f文🎉"' })).toBe('{"path":"/\\u00e9\\u007f\\u6587\\ud83c\\udf89\\""}')
  })
})

describe('authorization', () => {
  const redirectUri = 'http://localhost:3000/oauth/dropbox/callback'
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const oauth = (more: object = {}) => {
    const oauth = oauthOf(dropboxModule({ ...stage.deps, ...more }).signIn)
    if (!oauth) throw new Error('Dropbox has authorization.')
    return oauth
  }

  async function consent(scope?: string): Promise<string> {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: stage.user })
    if (scope) url.searchParams.set('scope', scope)
    const body = new URLSearchParams({ account: stage.user, decision: 'allow' })
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }

  it('asks for what is needed, at Dropbox or at the emulator', () => {
    const url = oauth().authorizationUrl({ state: 's1', challenge, redirectUri, loginHint: null })
    expect(url.href.startsWith(`${stage.url}/@www.dropbox.com/oauth2/authorize?`)).toBe(true)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: stage.deps.clientId,
      redirect_uri: redirectUri,
      token_access_type: 'offline',
      state: 's1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    expect(oauth().callbackName).toBe('dropbox')
  })

  it('gives credentials that work, are renewed, and end when they are revoked', async () => {
    const credentials = await oauth().exchange(call(), { code: await consent(), verifier, redirectUri })
    const { open } = dropboxModule(stage.deps)
    expect((await open(credentials).identity(call())).email).toBe(stage.user)
    stage.dropbox.expireAccessTokens({ user: stage.user })
    await failure(open(credentials).quota(call()), 'AuthExpired')
    const renewed = await oauth().refresh(call(), credentials)
    expect(renewed.refreshToken).toBe(credentials.refreshToken)
    await open(renewed).quota(call())
    const before = stage.dropbox.tokens({ user: stage.user }).refresh
    await oauth().revoke(call(), credentials)
    expect(stage.dropbox.tokens({ user: stage.user }).refresh).toBe(before - 1)
    await oauth().revoke(call(), renewed)
    await failure(oauth().refresh(call(), renewed), 'ReconnectNeeded')
  })

  it('is refused for a wrong verifier, a used code, a missing scope and a wrong secret', async () => {
    const wrong = { code: await consent(), verifier: 'x'.repeat(43), redirectUri }
    await failure(oauth().exchange(call(), wrong), 'ReconnectNeeded')
    const code = await consent()
    await oauth().exchange(call(), { code, verifier, redirectUri })
    await failure(oauth().exchange(call(), { code, verifier, redirectUri }), 'ReconnectNeeded')
    const grant = { code: await consent('account_info.read files.metadata.read'), verifier, redirectUri }
    const error = await failure(oauth().exchange(call(), grant), 'Forbidden')
    expect(error.message).toContain('files.content.write')
    const other = { code: await consent(), verifier, redirectUri }
    await failure(oauth({ clientSecret: 'wrong' }).exchange(call(), other), 'Misconfigured')
  })

  it('never takes an outage for the end of an account', async () => {
    const credentials = await oauth().exchange(call(), { code: await consent(), verifier, redirectUri })
    const operation = 'oauth2/token'
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
    stage.plan({ kind: 'serverError', operation: 'auth/token/revoke' })
    await failure(oauth().revoke(call(), credentials), 'Transient')
  })
})
