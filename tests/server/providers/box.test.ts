import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { boxErrorCode, boxFailure } from '../../../server/providers/box/errors.ts'
import { boxModule } from '../../../server/providers/box/module.ts'
import type { Driver, Entry, EntryRef } from '../../../server/providers/driver.ts'
import { oauthOf } from '../../setup/providers.ts'
import { type BoxStage, startBox } from './boxStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf, readAll } from './providerHarness.ts'

let stage: BoxStage
let box: Driver

beforeEach(async () => {
  stage = await startBox({ pageSize: 4 })
  box = stage.open()
})
afterEach(async () => {
  expect(stage.bugs()).toEqual([])
  await stage.close()
})

function store(name: string, bytes: Buffer, parent = box.root): Promise<Entry> {
  return box.put(call(), newEntry(parent, name, bytes.length), contentOf(bytes), progressOf())
}
const page = (cursor: string | null) => box.listAll?.(call(), cursor) ?? Promise.reject(new Error('It has no listing.'))
const changesFrom = (cursor: string | null) =>
  box.changes?.(call(), cursor) ?? Promise.reject(new Error('It has no changes.'))

async function everything(): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | null = null
  do {
    const { items, cursor: next }: Awaited<ReturnType<typeof page>> = await page(cursor)
    entries.push(...items)
    cursor = next
  } while (cursor !== null)
  return entries
}

describe('the account', () => {
  it('is named by what does not change', async () => {
    const { subject, email, name } = await box.identity(call())
    expect([email, name]).toEqual([stage.user, 'Ann Example'])
    expect(subject).toMatch(/^\d+$/)
  })

  it('has a quota, none, or an unknown one', async () => {
    stage.box.setQuota({ user: stage.user, usedByOthersBytes: 1000 })
    expect(await box.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 1000, totalBytes: 100_000_000 })
    stage.box.setQuota({ user: stage.user, quotaBytes: null })
    expect(await box.quota(call())).toEqual({ state: 'UNLIMITED', usedBytes: 1000, totalBytes: null })
    stage.box.setQuota({ user: stage.user, quotaBytes: 0 })
    expect((await box.quota(call())).state).toBe('UNKNOWN')
  })
})

describe('files and folders', () => {
  it('are found by any case of their names, and a file in place of a folder is a Conflict', async () => {
    const folder = await box.ensureFolder(call(), box.root, 'Skypool')
    expect(await box.ensureFolder(call(), box.root, 'SKYPOOL')).toBe(folder)
    await store('file', bytesOf(1), folder)
    await failure(box.ensureFolder(call(), folder, 'File'), 'Conflict')
    await failure(box.ensureFolder(call(), folder, 'trailing '), 'BadName')
  })

  it('keep apart a file and a folder with the same id', async () => {
    const file = await store('file', bytesOf(3))
    await failure(box.stat(call(), file.ref.replace('f', 'd') as EntryRef), 'NotFound')
    await failure(box.list(call(), file.ref, null), 'NotFound')
    await failure(box.stat(call(), 'f0/../../users/me' as EntryRef), 'NotFound')
  })

  it('are listed with bookmarks, which have no content', async () => {
    stage.box.plant({ user: stage.user, path: '/Site', bookmark: true })
    const [bookmark] = await everything()
    expect(bookmark).toMatchObject({
      kind: 'file',
      size: null,
      details: { nativeKind: 'OTHER', rights: { read: false } },
    })
    await failure(box.get(call(), bookmark?.ref ?? box.root), 'Forbidden')
    await box.delete(call(), bookmark?.ref ?? box.root)
    expect(await everything()).toEqual([])
  })

  it('say what the account may not do with them', async () => {
    stage.box.plant({ user: stage.user, path: '/fixed', text: 'abc', denied: ['can_rename', 'can_download'] })
    const [fixed] = await everything()
    expect(fixed?.details?.rights).toEqual({ ...ALL_RIGHTS, rename: false, read: false })
    await failure(box.get(call(), fixed?.ref ?? box.root), 'Forbidden')
  })

  it('deleted permanently leave the trash, or stay in it where the administrator wants that', async () => {
    const { ref } = await store('one', bytesOf(10))
    await box.delete(call(), ref)
    await failure(box.restore?.(call(), ref, box.root) ?? Promise.resolve(), 'NotFound')
    stage.box.changeUser({ user: stage.user, canPurge: false })
    const kept = await store('two', bytesOf(10))
    await box.delete(call(), kept.ref)
    expect(await box.restore?.(call(), kept.ref, box.root)).toMatchObject({ ref: kept.ref })
  })

  it('are restored into another folder where their own one is still there', async () => {
    const [from, to] = [
      await box.ensureFolder(call(), box.root, 'From'),
      await box.ensureFolder(call(), box.root, 'To'),
    ]
    const { ref } = await store('file', bytesOf(5), from)
    await box.trash?.(call(), ref)
    expect((await box.restore?.(call(), ref, to))?.details?.parent).toBe(to)
    expect((await box.restore?.(call(), ref, from))?.details?.parent).toBe(from)
  })
})

const ALL_RIGHTS = { read: true, write: true, rename: true, move: true, delete: true, share: true }

describe('a listing of everything', () => {
  it('goes through folders of any number, and continues with its cursor in another process', async () => {
    for (let index = 0; index < 9; index += 1) {
      stage.box.plant({ user: stage.user, path: `/Folder ${index}/Inner/File ${index}`, text: 'abc' })
    }
    stage.box.plant({ user: stage.user, path: '/Folder 3/many ', count: 11, size: 1 })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      box = stage.open()
      const { items, cursor: next }: Awaited<ReturnType<typeof page>> = await page(cursor)
      seen.push(...items.map(({ ref }) => ref))
      cursor = next
    } while (cursor !== null)
    expect(seen).toHaveLength(9 * 3 + 11)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('has a cursor that does not grow with the number of folders', async () => {
    stage.box.plant({ user: stage.user, path: '/f', folder: true, count: 300 })
    let longest = 0
    for (let cursor: string | null = null; ; ) {
      const { cursor: next }: Awaited<ReturnType<typeof page>> = await page(cursor)
      if (next === null) break
      longest = Math.max(longest, next.length)
      cursor = next
    }
    expect(longest).toBeLessThan(250)
  })

  it('leaves out a folder that was deleted meanwhile, and refuses a cursor that is none', async () => {
    for (const name of ['A', 'B', 'C', 'D']) stage.box.plant({ user: stage.user, path: `/${name}/file`, text: 'abc' })
    const first = await page(null)
    stage.box.remove({ user: stage.user, path: '/D' })
    let { cursor } = first
    const rest: Entry[] = []
    while (cursor !== null) {
      const next: Awaited<ReturnType<typeof page>> = await page(cursor)
      rest.push(...next.items)
      cursor = next.cursor
    }
    expect(rest.map(({ name }) => name)).toEqual(['file', 'file', 'file'])
    for (const wrong of ['nonsense', '{}', '[]', '[{"folder":5}]']) await failure(page(wrong), 'CursorReset')
  })
})

describe('the changes', () => {
  it('are the current states, whatever order and number the events have', async () => {
    stage.box.untidyEvents({ on: true })
    const start = (await changesFrom(null)).cursor
    const { ref } = await store('one', bytesOf(10))
    await box.move?.(call(), ref, { name: 'two' })
    await box.move?.(call(), ref, { name: 'three' })
    const gone = await store('gone', bytesOf(11))
    await box.delete(call(), gone.ref)
    const last = new Map<string, Entry | null>()
    let cursor = start
    for (;;) {
      const { changes, cursor: next, hasMore } = await changesFrom(cursor)
      for (const change of changes) last.set(change.ref ?? '', change.entry)
      cursor = next
      if (!hasMore) break
    }
    expect([last.get(ref)?.name, last.get(gone.ref), last.size]).toEqual(['three', null, 2])
    expect((await changesFrom(cursor)).changes).toEqual([])
  })

  it('continue at positions that no double holds, as number or as text', async () => {
    let { cursor } = await changesFrom(null)
    for (let index = 0; index < 5; index += 1) {
      const { ref } = await store(`file ${index}`, bytesOf(index))
      const next = await changesFrom(cursor)
      expect(next.changes.map((change) => change.ref)).toEqual([ref])
      cursor = next.cursor
    }
    expect(Number.isSafeInteger(Number(cursor.split(' ')[0]))).toBe(false)
  })

  it('are reset after two weeks, in which Box may have dropped events', async () => {
    const { cursor } = await changesFrom(null)
    stage.pass(12 * 24 * 3600 * 1000)
    const { cursor: later } = await changesFrom(cursor)
    stage.pass(14 * 24 * 3600 * 1000)
    await failure(changesFrom(later), 'CursorReset')
  })
})

describe('a download', () => {
  it('that is not ready yet is Transient, with the pause that Box asks for', async () => {
    const bytes = bytesOf(500)
    const { ref } = await store('file', bytes)
    stage.plan({ kind: 'incomplete', operation: 'files.content' })
    const error = await failure(box.get(call(), ref), 'Transient')
    expect(error.detail.retryAfterMs).toBe(2000)
    expect((await readAll(box.get(call(), ref))).equals(bytes)).toBe(true)
  })

  it('follows Box to no other service', async () => {
    const { ref } = await store('file', bytesOf(500))
    for (const location of ['https://boxcloud.com.example.org/d', 'http://dl.boxcloud.com/d', 'no address']) {
      stage.plan({ kind: 'redirect', operation: 'files.content', location })
      await failure(box.get(call(), ref), 'Transient')
    }
  })

  it('is Transient when its address was refused or its range ignored: the account is not', async () => {
    const { ref } = await store('file', bytesOf(500))
    stage.plan({ kind: 'ignoreRange', operation: 'download' })
    await failure(readAll(box.get(call(), ref, { start: 1, end: 3 })), 'Transient')
    stage.plan({ kind: 'rateLimit', operation: 'download', retryAfter: 4 })
    expect((await failure(box.get(call(), ref), 'RateLimited')).detail.retryAfterMs).toBe(4000)
  })
})

describe('a link', () => {
  it('gets the expiry that was asked for last, and is the same', async () => {
    const { ref } = await store('file', bytesOf(5))
    const until = new Date('2027-03-01T10:00:00.000Z')
    const first = await box.share?.(call(), ref, until)
    const second = await box.share?.(call(), ref, null)
    expect([first?.expiresAt, second?.expiresAt, second?.url]).toEqual([until, null, first?.url])
  })

  it('that only the company can open is taken back, and Forbidden', async () => {
    const { ref } = await store('file', bytesOf(5))
    stage.box.changeUser({ user: stage.user, canShareOpenly: false })
    await failure(box.share?.(call(), ref, null) ?? Promise.resolve(), 'Forbidden')
    stage.plan({ kind: 'policy', operation: 'files.update' })
    await failure(box.share?.(call(), ref, new Date()) ?? Promise.resolve(), 'Forbidden')
  })
})

describe('access', () => {
  const oauth = () => oauthOf(boxModule(stage.deps).signIn)
  const REDIRECT = 'http://127.0.0.1/oauth/box/callback'

  async function grant() {
    const url = oauth()?.authorizationUrl({ state: 's', challenge: 'c', redirectUri: REDIRECT, loginHint: null })
    const body = new URLSearchParams({ account: stage.user, decision: 'allow' })
    const answer = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
    const back = new URL(answer.headers.get('location') ?? '').searchParams
    expect(back.get('state')).toBe('s')
    const code = back.get('code') ?? ''
    return (await oauth()?.exchange(call(), { code, verifier: 'v', redirectUri: REDIRECT })) ?? { expiresAt: null }
  }

  it('is renewed with a refresh token that is valid once', async () => {
    const first = await grant()
    const second = await oauth()?.refresh(call(), first)
    expect(second?.refreshToken).not.toBe(first.refreshToken)
    expect(Date.parse(second?.expiresAt ?? '')).toBeGreaterThan(Date.now())
    const driver = boxModule(stage.deps).open(second ?? first)
    expect((await driver.identity(call())).email).toBe(stage.user)
    await failure(oauth()?.refresh(call(), first) ?? Promise.resolve(), 'ReconnectNeeded')
    // The second use ends the first one's successors, too.
    await failure(driver.identity(call()), 'AuthExpired')
  })

  it('survives a lost response where Box accepts the token again, and an outage everywhere', async () => {
    stage.box.refreshGrace({ on: true })
    const first = await grant()
    for (const kind of ['lostReply', 'serverError', 'reset', 'html'] as const) {
      stage.plan({ kind, operation: 'oauth2.token' })
      await failure(oauth()?.refresh(call(), first) ?? Promise.resolve(), 'Transient')
    }
    const second = await oauth()?.refresh(call(), first)
    expect(
      (
        await boxModule(stage.deps)
          .open(second ?? first)
          .identity(call())
      ).email,
    ).toBe(stage.user)
  })

  it('ends with revoke, also when it has ended already', async () => {
    const credentials = await grant()
    await oauth()?.revoke(call(), credentials)
    await failure(boxModule(stage.deps).open(credentials).identity(call()), 'AuthExpired')
    // That of the driver above is another grant.
    expect(stage.box.tokens({ user: stage.user })).toEqual({ refresh: 1, access: 1 })
    await oauth()?.revoke(call(), credentials)
    stage.plan({ kind: 'serverError', operation: 'oauth2.revoke' })
    await failure(oauth()?.revoke(call(), credentials) ?? Promise.resolve(), 'Transient')
  })

  it('is Misconfigured with another secret', async () => {
    const wrong = oauthOf(boxModule({ ...stage.deps, clientSecret: 'other' }).signIn)
    await failure(wrong?.refresh(call(), await grant()) ?? Promise.resolve(), 'Misconfigured')
  })
})

describe('errors', () => {
  it.each([
    [401, 'unauthorized', 'AuthExpired'],
    [403, 'storage_limit_exceeded', 'QuotaExceeded'],
    [403, 'file_size_limit_exceeded', 'TooLarge'],
    [403, 'access_denied_insufficient_permissions', 'Forbidden'],
    [404, 'trashed', 'NotFound'],
    [409, 'item_name_in_use', 'Conflict'],
    [409, 'operation_blocked_temporary', 'Transient'],
    [400, 'parts_mismatch', 'Transient'],
    [400, 'item_name_too_long', 'BadName'],
    [412, 'precondition_failed', 'Conflict'],
    [429, null, 'RateLimited'],
    [502, null, 'Transient'],
    [418, null, 'Permanent'],
  ] as const)('%i %s is %s', (status, code, expected) => {
    expect(boxErrorCode(boxFailure(status, { code }))).toBe(expected)
  })

  it('contain nothing of what Box says in words', async () => {
    const failed = boxFailure(409, { code: 'item_name_in_use', message: 'secret name', context_info: { conflicts: 5 } })
    expect(failed).toEqual({ status: 409, code: 'item_name_in_use', conflict: null })
    expect(boxFailure(500, '<html>')).toEqual({ status: 500, code: null, conflict: null })
  })
})
