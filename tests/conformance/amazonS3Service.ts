import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { deleteObject } from '../../server/providers/amazon-s3/objects.ts'
import type { Content, Driver, EntryRef } from '../../server/providers/driver.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import { CHUNK, makeBucket, openDriver, storeText, type TestBucket } from './amazonS3Harness.ts'
import {
  brokenContent,
  bytesOf,
  call,
  contentOf,
  copy,
  expectSame,
  hashOf,
  listAll,
  listEverything,
  progressFrom,
  put,
  read,
  rejection,
} from './kit.ts'

const RCLONE = '/usr/bin/rclone'
const run = promisify(execFile)

type Account = { readonly driver: Driver; readonly bucket: TestBucket }

async function newAccount(
  server: S3Server,
  prefix = '',
  limits: Parameters<typeof openDriver>[1] = {},
): Promise<Account> {
  const bucket = await makeBucket(server, prefix)
  return { bucket, driver: openDriver(bucket.credentials, limits) }
}

/** What is particular to services with the S3 API, and what another client sees of it. */
export function describeS3Service(name: string, server: () => S3Server): void {
  describe(`${name}, as a place for files`, () => {
    it('uses only the folder of the account', async () => {
      const { driver, bucket } = await newAccount(server(), 'Team files/Skypool/')
      await storeText(bucket, 'Team files/other.txt', 'other')
      await storeText(bucket, 'Team files/Skypool/there.txt', 'there')
      const folder = await driver.ensureFolder(call(), driver.root, 'Inner')
      await put(driver, 'new.txt', bytesOf(5), { parent: folder })
      expect((await listEverything(driver)).map(({ ref }) => ref).toSorted()).toEqual([
        '/Inner/',
        '/Inner/new.txt',
        '/there.txt',
      ])
      expect((await driver.identity(call())).subject).toMatch(/\/Team files\/Skypool$/)
      await driver.delete(call(), folder)
      expect((await listAll(driver)).map(({ name: shown }) => shown)).toEqual(['there.txt'])
    })

    it('shows folders that are only in the keys of other clients, and leaves out what is no path', async () => {
      const { driver, bucket } = await newAccount(server())
      for (const key of ['a/b/c.txt', 'a/b.txt', 'a-b.txt', 'a//odd.txt', 'z/']) {
        await storeText(bucket, key, key.endsWith('/') ? '' : key)
      }
      const all = (await listEverything(driver)).map(({ ref }) => ref)
      expect(all.toSorted()).toEqual(['/a-b.txt', '/a/', '/a/b.txt', '/a/b/', '/a/b/c.txt', '/z/'])
      expect((await listAll(driver, '/a/' as EntryRef)).map(({ ref }) => ref).toSorted()).toEqual(['/a/b.txt', '/a/b/'])
      expect(await driver.stat(call(), '/a/b/' as EntryRef)).toMatchObject({ kind: 'folder', name: 'b' })
    })

    it('reads an object in parts from the MD5 that is stored with it', async () => {
      const { driver } = await newAccount(server())
      const bytes = bytesOf(3 * CHUNK + 7)
      const { ref, details } = await put(driver, 'parts.bin', bytes)
      expect(details?.revision).toMatch(/-4$/)
      expect((await driver.stat(call(), ref)).hash).toBe(hashOf(driver, bytes))
      expect((await listAll(driver))[0]?.hash).toBeNull()
    })

    it('sends parts that are too large for memory, also after an interruption', async () => {
      const { driver } = await newAccount(server(), '', { memoryBytes: 1000 })
      const bytes = bytesOf(3 * CHUNK + 7)
      const progress = progressFrom()
      const half = { ...contentOf(bytes), open: breakingFrom(bytes, 2) }
      await rejection(put(driver, 'large.bin', bytes, { content: half, progress }), 'Transient')
      expect(progress.confirmed.at(-1)).toBe(CHUNK)
      const { ref } = await put(driver, 'large.bin', bytes, { progress: progressFrom(progress.saved) })
      expectSame(await read(driver, ref), bytes)
    })

    it('copies and moves in parts what is too large for one request', async () => {
      const { driver } = await newAccount(server(), '', { copyBytes: CHUNK })
      const bytes = bytesOf(2 * CHUNK + 7)
      const original = await put(driver, 'original.bin', bytes)
      const made = await copy(driver, original.ref, bytes, { name: 'copy.bin' })
      expect(made.hash).toBe(hashOf(driver, bytes))
      const moved = await driver.move?.(call(), made.ref, { name: 'moved.bin' })
      expect(await driver.stat(call(), moved?.ref ?? made.ref)).toMatchObject({ size: bytes.length, hash: made.hash })
      expectSame(await read(driver, moved?.ref ?? made.ref), bytes)
    })

    it('moves a folder with everything in it, or nothing', async () => {
      const { driver } = await newAccount(server())
      const folder = await driver.ensureFolder(call(), driver.root, 'Old')
      const inner = await driver.ensureFolder(call(), folder, 'Inner')
      for (let index = 0; index < 25; index += 1)
        await put(driver, `${index}.txt`, Buffer.from(`${index}`), { parent: inner })
      const other = await driver.ensureFolder(call(), driver.root, 'Other')
      const move = (to: { parent?: EntryRef; name?: string }) => Promise.resolve(driver.move?.(call(), folder, to))
      await rejection(move({ parent: inner }), 'Forbidden')
      await rejection(move({ name: 'Other' }), 'Conflict')
      expect(await move({ parent: other, name: 'New & improved' })).toMatchObject({ ref: '/Other/New & improved/' })
      expect(await listAll(driver)).toMatchObject([{ name: 'Other' }])
      expect(await listAll(driver, '/Other/New & improved/Inner/' as EntryRef)).toHaveLength(25)
      await driver.delete(call(), other)
      expect(await listEverything(driver)).toEqual([])
    })

    it.each([
      ['copied', 'PUT', 8],
      ['copied, right at the beginning', 'PUT', 2],
      ['deleted', 'POST', 1],
    ])('completes the move of a folder that was interrupted while it %s', async (_what, method, count) => {
      const { driver, bucket } = await newAccount(server())
      const texts = new Map(Array.from({ length: 25 }, (_, index) => [`a/${index % 3}/${index}.txt`, `text ${index}`]))
      for (const [key, text] of texts) await storeText(bucket, key, text)
      await storeText(bucket, 'other.txt', 'other')
      const contents = async () => {
        const found = (await listEverything(driver)).filter(({ kind }) => kind === 'file')
        return Promise.all(
          found.map(async ({ ref }) => [ref, (await read(driver, ref)).toString()] as [string, string]),
        )
      }
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const controller = new AbortController()
        let seen = 0
        const dying = openDriver(bucket.credentials, {}, (request, next) => {
          if (request[1].method === method) seen += 1
          if (seen >= count) controller.abort(new Error('The server is shutting down.'))
          return next(...request)
        })
        const moving = Promise.resolve(dying.move?.(call(controller.signal), '/a/' as EntryRef, { name: 'b' }))
        await expect(moving).rejects.toThrow()
        // Nothing is lost at any time.
        expect(new Set((await contents()).map(([, text]) => text))).toEqual(new Set([...texts.values(), 'other']))
        if (method === 'POST') break
      }
      // A part of the originals was deleted before it ended.
      if (method === 'POST') await deleteObject(bucket.client, call(), 'test', 'a/0/0.txt')
      // What is not a part of it is in the way.
      await storeText(bucket, 'c/9.txt', 'another')
      await rejection(Promise.resolve(driver.move?.(call(), '/a/' as EntryRef, { name: 'c' })), 'Conflict')
      expect(await driver.move?.(call(), '/a/' as EntryRef, { name: 'b' })).toMatchObject({ ref: '/b/' })
      await driver.delete(call(), '/c/' as EntryRef)
      const moved = [...texts].map(([key, text]) => [`/b${key.slice(1)}`, text])
      expect((await contents()).toSorted()).toEqual([...moved, ['/other.txt', 'other']].toSorted())
      expect((await listAll(driver)).map(({ ref }) => ref).toSorted()).toEqual(['/b/', '/other.txt'])
    })

    it('replaces nothing that was changed after an interrupted move', async () => {
      const { driver, bucket } = await newAccount(server())
      for (const name of ['1', '2', '3']) await storeText(bucket, `a/${name}.txt`, name)
      const controller = new AbortController()
      let deletions = 0
      const dying = openDriver(bucket.credentials, {}, (request, next) => {
        if (request[1].method === 'POST' && ++deletions === 1) controller.abort(new Error('It ends.'))
        return next(...request)
      })
      const move = (by: Driver, signal?: AbortSignal) =>
        Promise.resolve(by.move?.(call(signal), '/a/' as EntryRef, { name: 'b' }))
      await expect(move(dying, controller.signal)).rejects.toThrow()
      await storeText(bucket, 'b/2.txt', 'changed')
      await rejection(move(driver), 'Conflict')
      expect((await read(driver, '/b/2.txt' as EntryRef)).toString()).toBe('changed')
      expect((await read(driver, '/a/2.txt' as EntryRef)).toString()).toBe('2')
    })

    it('keeps a folder whose last entry is deleted or moved away, and no other one', async () => {
      const { driver, bucket } = await newAccount(server())
      for (const key of ['a/b/only.txt', 'c/1.txt', 'c/2.txt', 'd/e/moved.txt']) await storeText(bucket, key, key)
      await driver.delete(call(), '/a/b/only.txt' as EntryRef)
      expect((await listEverything(driver)).map(({ ref }) => ref)).toContain('/a/b/')
      await driver.delete(call(), '/a/b/' as EntryRef)
      await driver.delete(call(), '/c/1.txt' as EntryRef)
      await driver.move?.(call(), '/d/e/moved.txt' as EntryRef, { parent: '/c/' as EntryRef })
      expect((await listEverything(driver)).map(({ ref }) => ref).toSorted()).toEqual([
        '/a/',
        '/c/',
        '/c/2.txt',
        '/c/moved.txt',
        '/d/',
        '/d/e/',
      ])
      await driver.delete(call(), '/c/2.txt' as EntryRef)
      await driver.delete(call(), '/c/' as EntryRef)
      await driver.delete(call(), '/d/' as EntryRef)
      await driver.delete(call(), '/a/' as EntryRef)
      expect(await listEverything(driver)).toEqual([])
    })

    it('does not take a missing bucket for an empty one, or for files that are gone', async () => {
      const { driver, bucket } = await newAccount(server())
      const { ref } = await put(driver, 'file.txt', bytesOf(5))
      const gone = openDriver({ ...bucket.credentials, bucket: `${bucket.name}-2` })
      await rejection(gone.stat(call(), ref), 'Forbidden')
      await rejection(gone.list(call(), gone.root, null), 'Forbidden')
      await rejection(Promise.resolve(gone.listAll?.(call(), null)), 'Forbidden')
    })
  })

  describe.skipIf(!existsSync(RCLONE))(`${name}, as rclone sees it`, () => {
    it('has what was stored, and shows what rclone stores', async () => {
      const { driver, bucket } = await newAccount(server())
      const folder = await driver.ensureFolder(call(), driver.root, 'Grüße & more')
      const large = bytesOf(3 * CHUNK + 7)
      const modifiedAt = new Date('2024-02-03T04:05:06Z')
      await put(driver, 'small + 50%.txt', bytesOf(1000), { parent: folder })
      const entry = {
        parent: folder,
        name: 'large.bin',
        size: large.length,
        mimeType: 'application/x-test',
        modifiedAt,
      }
      await driver.put(call(), entry, contentOf(large), progressFrom())
      const rclone = rcloneOf(server())
      const listed = JSON.parse(await rclone('lsjson', '-R', '--hash', `x:${bucket.name}`))
      const seen = listed.map(({ Path, Size, Hashes, MimeType }: Listed) => [Path, Size, Hashes?.md5, MimeType])
      expect(seen.toSorted()).toEqual([
        ['Grüße & more', expect.any(Number), undefined, 'inode/directory'],
        ['Grüße & more/large.bin', large.length, hashOf(driver, large), 'application/x-test'],
        ['Grüße & more/small + 50%.txt', 1000, hashOf(driver, bytesOf(1000)), 'text/plain'],
      ])
      const { ModTime } = listed.find(({ Path }: Listed) => Path.endsWith('large.bin'))
      expect(new Date(ModTime)).toEqual(modifiedAt)

      const local = mkdtempSync(join(tmpdir(), 'skypool-rclone-'))
      try {
        await rclone('copy', `x:${bucket.name}/Grüße & more`, local)
        await rclone('check', `x:${bucket.name}/Grüße & more`, local)
        writeFileSync(join(local, 'from rclone.bin'), bytesOf(6 * 1024 * 1024, 9))
        const inParts = ['--s3-upload-cutoff', '5M', '--s3-chunk-size', '5M']
        await rclone('copy', ...inParts, local, `x:${bucket.name}/from/here`)
        const ref = '/from/here/from rclone.bin' as EntryRef
        expect((await driver.stat(call(), ref)).hash).toBe(hashOf(driver, bytesOf(6 * 1024 * 1024, 9)))
        expectSame(await read(driver, ref), bytesOf(6 * 1024 * 1024, 9))
      } finally {
        rmSync(local, { recursive: true, force: true })
      }
    })
  })
}

type Listed = { Path: string; Size: number; MimeType: string; ModTime: string; Hashes?: { md5?: string } }

/** Opens the content; from a number of times on, its source fails after the first part. */
function breakingFrom(bytes: Buffer, time: number): Content['open'] {
  const whole = contentOf(bytes)
  const broken = brokenContent(bytes.length, bytes.subarray(0, CHUNK + 5), new Error('The disk broke.'))
  let times = 0
  return (start) => {
    times += 1
    return (times < time ? whole : broken).open(start)
  }
}

function rcloneOf({ endpoint, accessKey, secretKey }: S3Server) {
  const env = {
    PATH: process.env.PATH,
    HOME: tmpdir(),
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_X_TYPE: 's3',
    RCLONE_CONFIG_X_PROVIDER: 'Other',
    RCLONE_CONFIG_X_ENDPOINT: endpoint,
    RCLONE_CONFIG_X_REGION: 'us-east-1',
    RCLONE_CONFIG_X_ACCESS_KEY_ID: accessKey,
    RCLONE_CONFIG_X_SECRET_ACCESS_KEY: secretKey,
    RCLONE_RETRIES: '1',
  }
  return async (...args: string[]) => (await run(RCLONE, args, { env })).stdout
}
