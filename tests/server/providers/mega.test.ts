import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EntryRef } from '../../../server/providers/driver.ts'
import { changesSince, listAll, listEverything } from '../../conformance/kit.ts'
import { KIB, type MegaStage, PASSWORD, startMega } from './megaStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf, readAll } from './providerHarness.ts'

let stage: MegaStage
beforeEach(async () => {
  stage = await startMega()
})
afterEach(async () => {
  expect(stage.bugs()).toEqual([])
  await stage.close()
})

async function store(name: string, bytes: Buffer, driver = stage.open()) {
  return driver.put(call(), newEntry(driver.root, name, bytes.length), contentOf(bytes), progressOf())
}

describe('signing in', () => {
  it('stores the session and the master key, and not the password', async () => {
    const credentials = await stage.connect({ email: ' Ann@Example.com ', password: PASSWORD })
    expect(JSON.stringify(credentials)).not.toContain(PASSWORD)
    expect(Object.keys(credentials).sort()).toEqual(['email', 'expiresAt', 'masterKey', 'session', 'user'])
    const driver = stage.openWith(credentials)
    expect(await driver.identity(call())).toEqual({
      subject: credentials.user,
      email: 'ann@example.com',
      name: 'Ann Example',
    })
    expect((await driver.quota(call())).totalBytes).toBe(100_000_000)
    // Neither needs the tree, which can be large.
    expect(stage.count('f')).toBe(0)
  })

  it('works for accounts of the first version', async () => {
    const old = { email: 'old@example.com', password: 'Zürich 2014, a long password' }
    stage.mega.addUser({ ...old, version: 1 })
    const driver = stage.openWith(await stage.connect(old))
    expect(await listAll(driver)).toEqual([])
  })

  it('happens once: no call of a driver is a login', async () => {
    const credentials = await stage.connect({ email: stage.user, password: PASSWORD })
    for (let process = 0; process < 3; process += 1) {
      const driver = stage.openWith(credentials)
      const { ref } = await store(`file ${process}`, bytesOf(10), driver)
      await readAll(driver.get(call(), ref))
    }
    expect(stage.mega.logins({ user: stage.user })).toBe(1)
  })

  it.each([
    [{ email: 'ann@example.com', password: 'wrong' }, 'MEGA does not know this email address with this password.'],
    [{ email: 'nobody@example.com', password: PASSWORD }, 'MEGA does not know this email address with this password.'],
  ])('says that the login is wrong: %o', async (values, message) => {
    expect((await failure(stage.connect(values), 'Forbidden')).detail.message).toBe(message)
  })

  it('asks for the code of two-factor authentication, and for another one', async () => {
    const safe = { email: 'safe@example.com', password: PASSWORD }
    stage.mega.addUser({ ...safe, code: '271828' })
    const missing = await failure(stage.connect(safe), 'Forbidden')
    expect(missing.detail).toMatchObject({ field: 'code', message: expect.stringContaining('two-factor') })
    const wrong = await failure(stage.connect({ ...safe, code: '000000' }), 'Forbidden')
    expect(wrong.detail).toMatchObject({ field: 'code', message: expect.stringContaining('did not accept the code') })
    // A wrong password is not said to be a wrong code.
    const other = await failure(stage.connect({ ...safe, password: 'wrong', code: '271828' }), 'Forbidden')
    expect(other.detail.field).toBeUndefined()
    const driver = stage.openWith(await stage.connect({ ...safe, code: '271 828' }))
    expect((await driver.identity(call())).email).toBe(safe.email)
  })

  it.each([
    [{ email: 'ann', password: 'x' }, 'email'],
    [{ email: 'ann@example.com', password: 'x', code: '12345' }, 'code'],
  ])('checks the fields before MEGA is called: %o', (values, field) => {
    expect(stage.form.check?.(values).map((problem) => problem.field)).toEqual([field])
    expect(stage.form.check?.({ email: 'ann@example.com', password: 'x', code: '123 456' })).toEqual([])
  })

  it('ends when it is revoked, also twice', async () => {
    const credentials = await stage.connect({ email: stage.user, password: PASSWORD })
    await stage.form.revoke?.(call(), credentials)
    await stage.form.revoke?.(call(), credentials)
    const error = await failure(stage.openWith(credentials).identity(call()), 'AuthExpired')
    expect(error.detail.message).toContain('session was closed')
  })

  it('solves the challenges that MEGA sets', async () => {
    stage.mega.challenge({ easiness: 255, count: 3 })
    const driver = stage.openWith(await stage.connect({ email: stage.user, password: PASSWORD }))
    expect((await driver.identity(call())).email).toBe(stage.user)
    expect(stage.log().filter(({ status }) => status === 402)).toHaveLength(3)
  })
})

describe('a content', () => {
  it('is encrypted with a key of its own, also when it is the same', async () => {
    const bytes = bytesOf(1_000_000)
    await Promise.all([store('one.bin', bytes), store('two.bin', bytes)])
    const objects = await stage.mega.objects({ user: stage.user })
    expect(objects.map(({ path }) => path).sort()).toEqual(['/one.bin', '/two.bin'])
    expect(new Set(objects.map(({ sha256 }) => sha256)).size).toBe(1)
  })

  it('that MEGA stores damaged is Corrupt at the end of a whole read', async () => {
    const bytes = bytesOf(500_000)
    const driver = stage.open()
    const { ref } = await store('damaged.bin', bytes, driver)
    await stage.mega.damage({ user: stage.user, id: ref })
    await failure(readAll(driver.get(call(), ref)), 'Corrupt')
    await failure(readAll(driver.get(call(), ref, { start: 0, end: 499_999 })), 'Corrupt')
    // A part has no MAC.
    expect((await readAll(driver.get(call(), ref, { start: 0, end: 99 }))).equals(bytes.subarray(0, 100))).toBe(true)
  })

  it('that changes on its way down is Corrupt', async () => {
    const { ref } = await store('flipped.bin', bytesOf(300_000))
    stage.plan({ kind: 'flip', operation: 'download', at: 1 })
    await failure(readAll(stage.open().get(call(), ref)), 'Corrupt')
  })

  it('of 0 bytes is stored and read', async () => {
    const driver = stage.open()
    const { ref, size } = await store('empty', Buffer.alloc(0), driver)
    expect([size, (await readAll(driver.get(call(), ref))).length]).toEqual([0, 0])
  })

  it('is read in parts with one address, which is asked for again once it has expired', async () => {
    const bytes = bytesOf(10_000)
    const driver = stage.open()
    const { ref } = await store('parts.bin', bytes, driver)
    for (const start of [0, 3_333, 9_999]) {
      expect((await readAll(driver.get(call(), ref, { start, end: 9_999 }))).equals(bytes.subarray(start))).toBe(true)
    }
    expect(stage.count('g')).toBe(1)
    await stage.mega.expireAddresses({ user: stage.user })
    expect((await readAll(driver.get(call(), ref))).equals(bytes)).toBe(true)
    expect(stage.count('g')).toBe(2)
  })

  it('waits for the transfer quota for as long as MEGA says', async () => {
    const { ref } = await store('large.bin', bytesOf(50_000))
    stage.mega.setTransfer({ user: stage.user, bytesLeft: 10_000, secondsLeft: 1234 })
    const error = await failure(stage.open().get(call(), ref), 'RateLimited')
    expect(error.detail).toMatchObject({
      retryAfterMs: 1_234_000,
      isOfDownloads: true,
      message: expect.stringContaining('transfer quota'),
    })
  })
})

describe('an upload', () => {
  const SIZE = 1_000_000

  it('continues in another process, and is one file with the right MAC', async () => {
    const bytes = bytesOf(SIZE)
    const progress = progressOf()
    stage.plan({ kind: 'cutUp', operation: 'upload', after: 2, bytes: 1000 })
    const entry = newEntry(stage.open().root, 'long.bin', SIZE)
    await failure(stage.open().put(call(), entry, contentOf(bytes), progress), 'Transient')
    expect(progress.told.at(-1)).toBe(384 * KIB)
    const content = contentOf(bytes)
    const driver = stage.open()
    const { ref } = await driver.put(call(), entry, content, progressOf(progress.saved.at(-1)))
    expect(content.opened).toEqual([384 * KIB])
    expect((await readAll(driver.get(call(), ref))).equals(bytes)).toBe(true)
    expect(await stage.paths()).toEqual(['/long.bin'])
  })

  it('whose part was stored without an answer sends the part again', async () => {
    const bytes = bytesOf(SIZE)
    for (const after of [0, 3]) {
      stage.plan({ kind: 'lostReply', operation: 'upload', after })
      const progress = progressOf()
      const driver = stage.open()
      const entry = newEntry(driver.root, `lost ${after}.bin`, SIZE)
      await failure(driver.put(call(), entry, contentOf(bytes), progress), 'Transient')
      const stored = await driver.put(call(), entry, contentOf(bytes), progressOf(progress.saved.at(-1)))
      expect((await readAll(driver.get(call(), stored.ref))).equals(bytes)).toBe(true)
    }
    expect(await stage.paths()).toHaveLength(2)
  })

  it('that MEGA has dropped starts over, in the same call', async () => {
    const bytes = bytesOf(SIZE)
    const progress = progressOf()
    stage.plan({ kind: 'cutUp', operation: 'upload', after: 2, bytes: 1000 })
    const driver = stage.open()
    const entry = newEntry(driver.root, 'dropped.bin', SIZE)
    await failure(driver.put(call(), entry, contentOf(bytes), progress), 'Transient')
    stage.mega.dropUploads()
    const content = contentOf(bytes)
    const { ref } = await driver.put(call(), entry, content, progressOf(progress.saved.at(-1)))
    expect(content.opened).toEqual([384 * KIB, 0])
    expect((await readAll(driver.get(call(), ref))).equals(bytes)).toBe(true)
  })

  /** It is stored, but the answer is lost; and the user copies it before it is asked about again. */
  async function storedUnnoticed() {
    const driver = stage.open()
    const entry = newEntry(driver.root, 'own.bin', 1000)
    const progress = progressOf()
    stage.plan({ kind: 'lostReply', operation: 'p' })
    await failure(driver.put(call(), entry, contentOf(bytesOf(1000)), progress), 'Transient')
    const [stored] = await stage.mega.objects({ user: stage.user })
    const copy = stage.mega.copy({ user: stage.user, id: stored?.id ?? '', name: 'theirs.bin' })
    return { driver, entry, session: progress.saved.at(-1) ?? '', stored, copy }
  }

  it('that is found again leaves alone what the user has made of it', async () => {
    const { driver, entry, session, stored } = await storedUnnoticed()
    const { ref } = await driver.put(call(), entry, contentOf(bytesOf(1000)), progressOf(session))
    expect(ref).toBe(stored?.id)
    expect((await stage.paths()).toSorted()).toEqual(['/own.bin', '/theirs.bin'])
  })

  it('that is given up deletes what it has stored, and nothing that the user has made of it', async () => {
    const { driver, session } = await storedUnnoticed()
    await driver.abandon(call(), session)
    expect(await stage.paths()).toEqual(['/theirs.bin'])
  })

  it('sends many chunks in one request, up to the limit', async () => {
    await stage.close()
    stage = await startMega({ partBytes: 2 * 1024 * KIB })
    await store('large.bin', bytesOf(5_000_000))
    const sizes = stage.log().flatMap(({ operation, bytesIn }) => (operation === 'upload' ? [bytesIn / KIB] : []))
    expect(sizes.map(Math.floor)).toEqual([1920, 1664, 1298])
  })

  it('does not send bytes to another host than one of MEGA', async () => {
    const driver = stage.open()
    const session = { v: 1, parent: driver.root, name: 'x', size: 5, mark: 'm', since: 0 }
    const upload = { url: 'https://example.org/ul', key: '', nonce: '', offset: 0, mac: '' }
    const text = JSON.stringify({ ...session, upload })
    const entry = newEntry(driver.root, 'x', 5)
    await failure(driver.put(call(), entry, contentOf(bytesOf(5)), progressOf(text)), 'Permanent')
  })
})

describe('the account', () => {
  it('is loaded once, and then asked for what has changed', async () => {
    const driver = stage.open()
    await stage.mega.plantTree({
      user: stage.user,
      files: Array.from({ length: 30 }, (_, index) => ({ path: `/Folder/${index}.txt`, text: String(index) })),
    })
    expect(await listEverything(driver)).toHaveLength(31)
    const [folder] = await listAll(driver)
    expect(await listAll(driver, folder?.ref ?? driver.root)).toHaveLength(30)
    expect(stage.count('f')).toBe(1)
  })

  it('is followed: other programs add, rename, move and delete', async () => {
    const { user } = stage
    const driver = stage.open()
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    const { id } = await stage.mega.plant({ user, path: '/Inbox/a.txt', text: 'a', modifiedAt: '2020-01-02T03:04:05Z' })
    const ref = id as EntryRef
    const first = await changesSince(driver, begin)
    expect(first.last.get(ref)?.entry).toMatchObject({ name: 'a.txt', modifiedAt: new Date('2020-01-02T03:04:05Z') })
    const other = (await stage.mega.plant({ user, path: '/Other', folder: true })).id
    stage.mega.alter({ user, id, name: 'b.txt', parent: other })
    // In another process, which has not seen the beginning.
    const second = await changesSince(stage.open(), first.cursor)
    expect(second.last.get(ref)?.entry).toMatchObject({ name: 'b.txt', details: { parent: other } })
    stage.mega.alter({ user, id: other, remove: true })
    const third = await changesSince(driver, second.cursor)
    expect(third.last.get(other)).toMatchObject({ entry: null })
    await failure(driver.stat(call(), ref), 'NotFound')
  })

  it('reports a folder that comes back from the trash with its content', async () => {
    const { user } = stage
    const driver = stage.open()
    const { id } = await stage.mega.plant({ user, path: '/Folder/inner.txt', text: 'x' })
    const folder = (await driver.stat(call(), id as EntryRef)).details?.parent ?? driver.root
    await driver.trash?.(call(), folder)
    const { cursor } = await changesSince(driver, (await driver.changes?.(call(), null))?.cursor ?? '')
    await driver.restore?.(call(), folder, driver.root)
    const { last } = await changesSince(driver, cursor)
    expect([last.get(folder)?.entry?.name, last.get(id)?.entry?.name]).toEqual(['Folder', 'inner.txt'])
  })

  it('says CursorReset when too much has happened, and lists everything anew', async () => {
    const { user } = stage
    const driver = stage.open()
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    await stage.mega.plant({ user, path: '/a.txt', text: 'a' })
    stage.mega.forget({ user })
    await failure(Promise.resolve(driver.changes?.(call(), begin)), 'CursorReset')
    expect((await listAll(driver)).map(({ name }) => name)).toEqual(['a.txt'])
    expect(stage.count('f')).toBe(2)
  })

  it('with many changes is read in pages', async () => {
    const { user } = stage
    const driver = stage.open()
    const begin = (await driver.changes?.(call(), null))?.cursor ?? ''
    for (let index = 0; index < 130; index += 1) await stage.mega.plant({ user, path: `/${index}.txt`, text: 'x' })
    expect((await changesSince(driver, begin)).last.size).toBe(130)
    expect((await changesSince(stage.open(), begin)).last.size).toBe(130)
  })

  it('keeps attributes of other programs when it renames', async () => {
    const { user } = stage
    const modifiedAt = '2020-01-02T03:04:05Z'
    const { id } = await stage.mega.plant({ user, path: '/a.txt', text: 'a', modifiedAt })
    const driver = stage.open()
    const renamed = await driver.move?.(call(), id as EntryRef, { name: 'b.txt' })
    expect(renamed).toMatchObject({ name: 'b.txt', modifiedAt: new Date(modifiedAt) })
    expect(await stage.open().stat(call(), id as EntryRef)).toEqual(renamed)
  })

  it('refuses to move a folder into itself', async () => {
    const driver = stage.open()
    const outer = await driver.ensureFolder(call(), driver.root, 'Outer')
    const inner = await driver.ensureFolder(call(), outer, 'Inner')
    await failure(Promise.resolve(driver.move?.(call(), outer, { parent: inner })), 'Conflict')
  })

  it('shares a file by a link that contains its key', async () => {
    const driver = stage.open()
    const { ref } = await store('shared.txt', bytesOf(5), driver)
    const link = await driver.share?.(call(), ref, null)
    expect(link?.url).toMatch(/^https:\/\/mega\.nz\/file\/[\w-]{8}#[\w-]{43}$/)
    await failure(Promise.resolve(driver.share?.(call(), ref, new Date())), 'Forbidden')
    const folder = await driver.ensureFolder(call(), driver.root, 'Folder')
    await failure(Promise.resolve(driver.share?.(call(), folder, null)), 'Forbidden')
  })

  it('with another master key shows nothing under a wrong name, and changes nothing', async () => {
    const { ref } = await store('mine.txt', bytesOf(5))
    const driver = stage.open({ masterKey: Buffer.alloc(16, 9).toString('base64url') })
    expect((await driver.stat(call(), ref)).name).toBe(`Cannot be decrypted (${ref})`)
    await failure(driver.get(call(), ref), 'Forbidden')
    await failure(Promise.resolve(driver.move?.(call(), ref, { name: 'other.txt' })), 'Forbidden')
    expect(await stage.paths()).toEqual(['/mine.txt'])
  })

  it('whose session has ended says so, in every call that runs', async () => {
    const driver = stage.open()
    await store('a.txt', bytesOf(5), driver)
    stage.mega.endSessions({ user: stage.user })
    const calls = [
      () => driver.stat(call(), driver.root),
      () => driver.list(call(), driver.root, null),
      () => driver.quota(call()),
    ]
    for (const one of calls) {
      expect((await failure(one(), 'AuthExpired')).detail.message).toContain('The MEGA session was closed')
    }
  })

  it('that is asked too often is not expired', async () => {
    const driver = stage.open()
    stage.plan({ kind: 'rateLimit', operation: 'uq' })
    await failure(driver.quota(call()), 'RateLimited')
    stage.plan({ kind: 'html', operation: 'ug' })
    await failure(driver.identity(call()), 'Transient')
  })
})
