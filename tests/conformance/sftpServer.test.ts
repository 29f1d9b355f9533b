import { PassThrough, Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { createSftpAccount, type SftpAccount } from '../fakes/sftp/account.ts'
import { type Sshd, startSshd, whyNoSshd } from '../fakes/sftp/sshd.ts'
import {
  bytesOf,
  call,
  everythingPage,
  expectSame,
  listAll,
  listEverything,
  progressFrom,
  put,
  read,
  rejection,
} from './kit.ts'

const missing = whyNoSshd()
let sshd: Sshd
let account: SftpAccount
let driver: Driver

beforeAll(async () => {
  if (missing === null) sshd = await startSshd()
})
beforeEach(async () => {
  if (missing !== null) return
  account = await createSftpAccount(sshd)
  driver = account.open()
})
afterEach(() => account?.close())
afterAll(() => sshd?.close())

/** Runs commands in the folder of the account. */
const inFolder = (...commands: readonly string[]) => sshd.run(`cd '${account.folder}' && ${commands.join(' && ')}`)
const ref = (path: string) => path as EntryRef
const refsOf = (entries: readonly Entry[]) => entries.map((entry) => entry.ref as string)

describe.skipIf(missing !== null)(missing ?? 'SFTP and what a server holds', () => {
  it('shows links as such, with what they point to, and neither pipes nor names that are not UTF-8', async () => {
    await inFolder(
      'mkdir a b && echo x > a/file && mkfifo pipe && printf y > "$(printf "caf\\351")"',
      'ln -s ../a/file b/inside && ln -s /etc/passwd b/outside && ln -s nowhere b/broken && ln -s . b/loop',
    )
    const found = new Map((await listEverything(driver)).map((entry) => [entry.ref as string, entry]))
    expect([...found.keys()]).toEqual(['a', 'a/file', 'b', 'b/broken', 'b/inside', 'b/loop', 'b/outside'])
    const targetOf = (path: string) => found.get(path)?.details?.target
    expect(['b/inside', 'b/outside', 'b/broken', 'b/loop'].map(targetOf)).toEqual(['a/file', null, 'b/nowhere', 'b'])
    expect(found.get('b/inside')).toMatchObject({ kind: 'file', size: null, details: { nativeKind: 'SHORTCUT' } })
    expect(await driver.stat(call(), ref('b/inside'))).toEqual(found.get('b/inside'))
    await rejection(driver.get(call(), ref('b/outside')), 'Forbidden')
    await rejection(driver.get(call(), ref('pipe')), 'NotFound')
  })

  it('walks a whole tree in order, page by page, and continues after an entry that was deleted', async () => {
    await inFolder(
      'for a in 1 2 3 4 5; do for b in 1 2 3 4; do mkdir -p $a/$b; for c in x y z; do : > $a/$b/$c; done; done; done',
    )
    const expected = (await inFolder('find . -mindepth 1 | cut -c 3- | LC_ALL=C sort')).trim().split('\n')
    const all = await listEverything(driver)
    expect(refsOf(all).toSorted()).toEqual(expected.toSorted())
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await everythingPage(account.open(), cursor)
      seen.push(...refsOf(page.items))
      const last = page.items.at(-1)
      if (last?.ref === '2/3/x') await inFolder('rm -r 2/3')
      cursor = page.cursor
    } while (cursor !== null)
    expect(seen.filter((one) => !one.startsWith('2/3'))).toEqual(expected.filter((one) => !one.startsWith('2/3')))
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('passes over a folder that it may not read, and lists the others', async () => {
    await inFolder('mkdir closed open && : > closed/a && : > open/b && chmod 000 closed')
    expect(refsOf(await listEverything(driver))).toEqual(['closed', 'open', 'open/b'])
    await rejection(listAll(driver, ref('closed')), 'Forbidden')
    await rejection(driver.stat(call(), ref('closed/a')), 'Forbidden')
  })

  it('takes nothing for gone while the folder of the account is not there', async () => {
    const { ref: kept } = await put(driver, 'kept.txt', bytesOf(5))
    await sshd.run(`mv '${account.folder}' '${account.folder}.away'`)
    const calls = [
      driver.stat(call(), kept),
      driver.get(call(), kept),
      driver.list(call(), driver.root, null),
      everythingPage(driver, null),
      driver.delete(call(), kept),
      put(driver, 'other.txt', bytesOf(5)),
    ]
    for (const attempt of calls) await rejection(attempt, 'Transient')
    await sshd.run(`mv '${account.folder}.away' '${account.folder}'`)
    expectSame(await read(driver, kept), bytesOf(5))
  })

  it('deletes a folder with everything in it, and not what links in it point to', async () => {
    await inFolder('mkdir -p tree/a/b/c kept && : > kept/file && for n in $(seq 30); do : > tree/a/b/$n; done')
    await inFolder('ln -s ../../kept tree/a/link && mkfifo tree/a/pipe')
    await driver.delete(call(), ref('tree'))
    expect(refsOf(await listEverything(driver))).toEqual(['kept', 'kept/file'])
    await rejection(driver.delete(call(), driver.root), 'Permanent')
    await driver.delete(call(), ref('tree/a/b'))
  })

  it('refuses paths outside the folder of the account', async () => {
    for (const path of ['../account', 'a/../../x', '/etc/passwd', '', 'a//b', './a']) {
      await rejection(driver.stat(call(), ref(path)), 'NotFound')
    }
    await rejection(driver.ensureFolder(call(), driver.root, '..'), 'BadName')
    await rejection(put(driver, 'a/b', bytesOf(1)), 'BadName')
  })

  it('breaks a download of a file that is changed while it is read', async () => {
    const bytes = bytesOf(600_000)
    const { ref: file } = await put(driver, 'changing.bin', bytes)
    const { body } = await driver.get(call(), file)
    const chunks = body[Symbol.asyncIterator]()
    await chunks.next()
    await inFolder("printf x | dd of=changing.bin conv=notrunc status=none && touch -d '1 hour' changing.bin")
    const rest = async () => {
      for (;;) if ((await chunks.next()).done) return
    }
    await rejection(rest(), 'Transient')
  })

  it('uses one connection for all calls, and another one when it is lost', async () => {
    const { ref: file } = await put(driver, 'file.bin', bytesOf(100_000))
    await Promise.all(Array.from({ length: 10 }, () => read(driver, file)))
    expect(account.proxy.count).toBe(1)
    await account.proxy.end()
    expectSame(await read(driver, file), bytesOf(100_000))
    expect(account.proxy.count).toBe(2)
  })

  it('opens more connections for uploads at the same time, up to four', async () => {
    const uploads: ReturnType<typeof startUpload>[] = []
    const another = async () => {
      const upload = startUpload(`${uploads.length}.bin`)
      uploads.push(upload)
      await upload.begun
    }
    // One that finds a connection without uploads uses that.
    await vi.waitFor(
      async () => {
        await another()
        expect(account.proxy.count).toBe(4)
      },
      { timeout: 20_000, interval: 50 },
    )
    for (let more = 0; more < 4; more += 1) await another()
    for (const upload of uploads) upload.end()
    await Promise.all(uploads.map(({ stored }) => stored))
    expectSame(await read(driver, ref('0.bin')), bytesOf(50_000))
    expectSame(await read(driver, ref(`${uploads.length - 1}.bin`)), bytesOf(50_000))
    expect(account.proxy.count).toBe(4)
  })

  it('uses the connection that it has for further uploads where the server refuses another one', async () => {
    const first = startUpload('first.bin')
    await first.begun
    sshd.removeKey(account.privateKey)
    await put(driver, 'second.bin', bytesOf(1000))
    await vi.waitFor(() => expect(account.proxy.count).toBe(2), 20_000)
    await put(driver, 'third.bin', bytesOf(1000))
    first.end()
    await first.stored
    expect(refsOf(await listEverything(driver))).toEqual(['first.bin', 'second.bin', 'third.bin'])
    expect(account.proxy.count).toBe(2)
  })

  /** An upload of 50,000 bytes. The last ones are sent when `end` is called. */
  function startUpload(name: string) {
    const [body, bytes] = [new PassThrough(), bytesOf(50_000)]
    body.write(bytes.subarray(0, 100))
    let stored: Promise<Entry> | null = null
    const begun = new Promise<void>((done) => {
      const open = (): Readable => {
        done()
        return body
      }
      stored = put(driver, name, bytes, { content: { size: bytes.length, open } })
    })
    return { begun, stored, end: () => void body.end(bytes.subarray(100)) }
  }

  it('keeps the time that an entry is given', async () => {
    const modifiedAt = new Date('2001-02-03T04:05:06.700Z')
    const content = { size: 0, open: () => Readable.from([], { objectMode: false }) }
    const entry = { parent: driver.root, name: 'old.txt', size: 0, mimeType: null, modifiedAt }
    const stored = await driver.put(call(), entry, content, progressFrom())
    expect(stored.modifiedAt).toEqual(new Date('2001-02-03T04:05:06Z'))
  })
})
