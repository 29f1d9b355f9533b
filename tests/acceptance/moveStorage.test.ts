import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { unpackSwift } from '../../server/scripts/setup/swift.mjs'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { startSwift, whyNoSwift } from '../fakes/s3/swift.ts'
import { createBrowser } from '../setup/browser.ts'
import { type Bucket, bucketOf } from '../setup/sharedStorage.ts'
import { expectStatus, register, sha256, until } from './support/person.ts'
import { startProcess } from './support/process.ts'

// A running server, whose files are moved into a bucket and back by a command that is killed again and again.

const NOWHERE = 'http://127.0.0.1:9'
const KIB = 1024
const FILES = 40
const KILLS = 10
/** The first files, which are not deleted at the same time. */
const READ_AFTER_KILLS = 3
/** Half a minute where the processors have nothing else to do. */
const LIMIT_MS = 1_200_000

await unpackSwift()

type Said = { readonly code: number | null; readonly output: string }

function startCommand(settings: Readonly<Record<string, string>>, ...given: string[]) {
  const child: ChildProcess = spawn(process.execPath, ['dist/server/moveStorage.js', ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATABASE_URL: '', LOG_LEVEL: 'warn', ...settings },
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
  const ended = once(child, 'close').then((): Said => ({ code: child.exitCode, output: output.join('') }))
  return {
    ended,
    kill: () => child.kill('SIGKILL'),
    isRunning: () => child.exitCode === null && child.signalCode === null,
  }
}

function storedOnDisk(dataDir: string): string[] {
  const objects = join(dataDir, 'objects')
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return folders.flatMap((folder) => readdirSync(join(objects, folder)))
}

const storedIn = async (bucket: Bucket) => (await bucket.keys()).map((key) => key.slice(-36))

it(
  'files are moved to a bucket and back while uploads, downloads and deletions go on, killed 10 times each way',
  async () => {
    const service = await (whyNoSwift() === null ? startSwift() : startS3Emulator())
    const { settings, bucket } = await bucketOf(service)
    if (!bucket) throw new Error('There is no bucket.')
    const { STORAGE_URL = '', SECRET_KEY = '' } = settings
    const dataDir = mkdtempSync(join(tmpdir(), 'skypool-moving-'))
    chmodSync(dataDir, 0o755)
    const shared = { DATA_DIR: dataDir, SECRET_KEY }
    const toBucket = { ...shared, STORAGE_URL, STORAGE_FROM: 'disk' }
    const toDisk = { ...shared, STORAGE_URL: '', STORAGE_FROM: STORAGE_URL }
    const bytesOf = new Map<string, Buffer>()
    let server = await startProcess(NOWHERE, { SECRET_KEY }, { dataDir })
    const { token } = await register(server.url)
    const ada = () => createBrowser(server.url, token)

    async function upload(size: number): Promise<void> {
      const bytes = randomBytes(size)
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(bytes)]), `${crypto.randomUUID()}.bin`)
      const { body } = await expectStatus(201, ada().request('POST', '/api/v1/files', form))
      bytesOf.set(body.id, bytes)
    }
    /** In two requests. */
    async function uploadByTus(size: number): Promise<void> {
      const bytes = randomBytes(size)
      const [half, tus] = [Math.floor(size / 2), { 'tus-resumable': '1.0.0' }]
      const name = Buffer.from(`${crypto.randomUUID()}.bin`).toString('base64')
      const about = { ...tus, 'upload-length': String(size), 'upload-metadata': `filename ${name}` }
      const created = await expectStatus(201, ada().request('POST', '/api/v1/uploads', undefined, about))
      const path = new URL(created.headers.get('location') ?? '', server.url).pathname
      const send = (from: number, to: number) => {
        const headers = { ...tus, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' }
        return ada().request('PATCH', path, new Uint8Array(bytes.subarray(from, to)), headers)
      }
      await expectStatus(204, send(0, half))
      const done = await send(half, size)
      expect([200, 204]).toContain(done.status)
      bytesOf.set(done.headers.get('skypool-file-id') ?? '', bytes)
    }
    async function read(id: string): Promise<void> {
      const bytes = bytesOf.get(id) ?? Buffer.alloc(0)
      const answer = await fetch(`${server.url}/api/v1/files/${id}/download`, { headers: { cookie: `sid=${token}` } })
      expect([id, answer.status, sha256(Buffer.from(await answer.arrayBuffer()))]).toEqual([id, 200, sha256(bytes)])
    }
    async function readAll(): Promise<void> {
      const ids = [...bytesOf.keys()]
      for (let at = 0; at < ids.length; at += 4) await Promise.all(ids.slice(at, at + 4).map(read))
    }
    async function remove(id: string): Promise<void> {
      bytesOf.delete(id)
      await expectStatus(204, ada().request('DELETE', `/api/v1/files/${id}?permanent=true`))
    }

    /** Until `over`: everything that users do, at the same time as the command. */
    async function use(over: AbortSignal): Promise<void> {
      for (let turn = 0; !over.aborted; turn += 1) {
        await upload(randomInt(1, 300) * KIB)
        if (turn % 4 === 0) await uploadByTus(9 * 1024 * KIB)
        const ids = [...bytesOf.keys()].slice(READ_AFTER_KILLS)
        const id = ids[randomInt(ids.length)] ?? ''
        await read(id)
        if (turn % 2 === 0) await remove(id)
      }
    }

    async function moveKilled(environment: Record<string, string>, left: () => Promise<number>): Promise<number> {
      const all = await left()
      let kills = 0
      for (let round = 1; round <= KILLS; round += 1) {
        const command = startCommand(environment, '--parallel', '2')
        // After a part of the objects, wherever it is then.
        const enough = all - Math.floor((all * round) / (KILLS + 2))
        while (command.isRunning() && (await left()) > enough) await sleep(5)
        if (command.isRunning()) kills += 1
        command.kill()
        await command.ended
        for (const id of [...bytesOf.keys()].slice(0, READ_AFTER_KILLS)) await read(id)
      }
      return kills
    }

    async function moveWhileUsed(environment: Record<string, string>, left: () => Promise<number>): Promise<void> {
      const over = new AbortController()
      const using = use(over.signal)
      using.catch(() => undefined)
      expect(await moveKilled(environment, left)).toBeGreaterThanOrEqual(KILLS - 2)
      over.abort()
      await using
      const { code, output } = await startCommand(environment, '--wait').ended
      expect(output).toContain('Now unset STORAGE_FROM')
      expect(code).toBe(0)
      await readAll()
    }

    async function restart(environment: Record<string, string>): Promise<void> {
      await server.close()
      server = await startProcess(NOWHERE, environment, { dataDir })
    }

    /** Deleted files lose their bytes in a job. */
    const untilOnlyLive = (stored: () => Promise<readonly string[]>) =>
      until(stored, (ids) => ids.length === bytesOf.size)

    try {
      for (let count = 0; count < FILES; count += 8)
        await Promise.all(Array.from({ length: 8 }, () => upload(randomInt(1, 200) * KIB)))
      await upload(20 * 1024 * KIB)

      // Nothing is moved before all servers use both storages.
      const early = await startCommand(toBucket).ended
      expect(early).toMatchObject({
        code: 1,
        output: expect.stringContaining('A server is running without these settings'),
      })
      await restart(toBucket)
      const dry = await startCommand(toBucket, '--dry-run').ended
      expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('objects, ') })
      expect(await storedIn(bucket)).toEqual([])
      await upload(KIB)
      // New objects are where the files are, until the move begins.
      expect(await storedIn(bucket)).toEqual([])

      await moveWhileUsed(toBucket, async () => storedOnDisk(dataDir).length)
      expect(storedOnDisk(dataDir)).toEqual([])
      expect(readdirSync(join(dataDir, 'staging'))).toEqual([])
      await untilOnlyLive(() => storedIn(bucket))
      expect(await bucket.unfinished()).toEqual([])

      // With the settings from before, it would not find them.
      await server.close()
      await expect(startProcess(NOWHERE, shared, { dataDir })).rejects.toThrow('were moved to the bucket')
      server = await startProcess(NOWHERE, { ...shared, STORAGE_URL }, { dataDir })
      await readAll()

      await restart(toDisk)
      await moveWhileUsed(toDisk, async () => (await storedIn(bucket)).length)
      expect(await bucket.keys()).toEqual([])
      expect(await bucket.unfinished()).toEqual([])
      await untilOnlyLive(async () => storedOnDisk(dataDir))
      expect(readdirSync(join(dataDir, 'staging'))).toEqual([])
      const moving = join(dataDir, 'moving')
      expect(existsSync(moving) ? readdirSync(moving) : []).toEqual([])

      await restart(shared)
      await readAll()
    } finally {
      await server.close()
      await service.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  LIMIT_MS,
)
