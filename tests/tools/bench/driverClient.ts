import { closeSync, open as openWithCallback, readdirSync, writev } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { amazonS3Module } from '../../../server/providers/amazon-s3/module.ts'
import type { Credentials, Driver, EntryRef } from '../../../server/providers/driver.ts'
import { credentialsOf, loginOf } from '../../../server/providers/sftp/login.ts'
import { sftpModule } from '../../../server/providers/sftp/module.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { webdavModule } from '../../../server/providers/webdav/module.ts'
import { readRange } from '../../../server/storage/byteSource.ts'
import { createFileReader } from '../../../server/storage/objectStore.ts'

// A process that transfers files with one of the drivers, as rclone is one: see rows/rclone.ts. Takes jobs from its parent.

export type Kind = 'sftp' | 'webdav' | 'amazon-s3'
export type Job = {
  readonly direction: 'up' | 'down'
  /** A local folder: everything in it is sent, or what is in the remote folder gets there. */
  readonly folder: string
  /** The name of a folder in the root of the account. */
  readonly remote: string
  readonly transfers: number
  /** Whether to look how much memory is resident during the job; the looks take time themselves. */
  readonly isMemory?: boolean
}
/** `peakBytes`: the most resident memory during the job; 0 without `isMemory`. */
export type Done =
  | { readonly seconds: number; readonly bytes: number; readonly peakBytes: number }
  | { readonly error: string }

const LOOK_EVERY_MS = 20
const openFile = promisify(openWithCallback)
const writeParts: (descriptor: number, parts: readonly Buffer[]) => Promise<unknown> = promisify(writev)
/** As the server's own storage writes. */
const [WRITE_BYTES, LARGEST_WRITE] = [512 * 1024, 1024 * 1024]

function openDriver(kind: Kind, credentials: Readonly<Record<string, string>>): Driver {
  const guard = createHostGuard(['127.0.0.1'])
  if (kind === 'sftp') return sftpModule({ guard }).open(credentialsOf(loginOf(credentials)))
  const given: Credentials = { expiresAt: null, ...credentials }
  if (kind === 'webdav') return webdavModule({ guard }).open(given)
  const http = createHttp({ emulatorUrl: null, guard })
  return amazonS3Module({ http }).open({ capacityBytes: null, ...given })
}

const call = () => ({ signal: AbortSignal.timeout(30 * 60_000), requestId: 'bench' })

/** Calls `work` for each item, so many at a time. */
async function each<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function up(driver: Driver, { folder, remote, transfers }: Job): Promise<number> {
  const parent = await driver.ensureFolder(call(), driver.root, remote)
  let bytes = 0
  await each(readdirSync(folder), transfers, async (name) => {
    const path = join(folder, name)
    const { size, mtime } = await stat(path)
    const reader = async () => createFileReader(await openFile(path, 'r'), size)
    const content = { size, open: (start: number) => readRange(reader, start, size - 1) }
    const progress = { session: null, save: async () => undefined, onProgress: () => undefined }
    const entry = { parent, name, size, mimeType: null, modifiedAt: mtime }
    const stored = await driver.put(call(), entry, content, progress)
    bytes += stored.size ?? 0
  })
  return bytes
}

async function down(driver: Driver, { folder, remote, transfers }: Job): Promise<number> {
  const parent = await driver.ensureFolder(call(), driver.root, remote)
  await mkdir(folder, { recursive: true })
  const found: { ref: EntryRef; name: string }[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Driver['list']>> = await driver.list(call(), parent, cursor)
    found.push(...page.items)
    cursor = page.cursor
  } while (cursor !== null)
  let bytes = 0
  await each(found, transfers, async ({ ref, name }) => {
    const { body } = await driver.get(call(), ref)
    const written = await writeFile(body as AsyncIterable<Buffer>, join(folder, name))
    bytes += written
  })
  return bytes
}

/** As the server's own storage: one write at a time, while up to LARGEST_WRITE is collected for the next. @returns its length */
async function writeFile(body: AsyncIterable<Buffer>, path: string): Promise<number> {
  const descriptor = await openFile(path, 'w')
  let [bytes, gathered, waiting]: [number, Buffer[], number] = [0, [], 0]
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  const flush = async (): Promise<void> => {
    await writing
    isWriting = true
    writing = writeParts(descriptor, gathered).then(() => {
      isWriting = false
    })
    // Reported where it is awaited.
    writing.catch(() => undefined)
    gathered = []
    waiting = 0
  }
  try {
    for await (const chunk of body) {
      gathered.push(chunk)
      waiting += chunk.length
      bytes += chunk.length
      if (waiting >= (isWriting ? LARGEST_WRITE : WRITE_BYTES)) await flush()
    }
    if (waiting > 0) await flush()
    await writing
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

const [kind, credentials] = process.argv.slice(2)
const driver = openDriver(kind as Kind, JSON.parse(credentials ?? '{}'))

async function run(job: Job): Promise<Done> {
  let peakBytes = 0
  const look = () => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }
  const sampler = job.isMemory ? setInterval(look, LOOK_EVERY_MS) : undefined
  const startedAt = performance.now()
  try {
    const bytes = await (job.direction === 'up' ? up : down)(driver, job)
    return { seconds: (performance.now() - startedAt) / 1000, bytes, peakBytes }
  } catch (error) {
    return { error: String(error instanceof Error ? error.stack : error) }
  } finally {
    clearInterval(sampler)
  }
}

process.on('message', async (job: Job) => process.send?.(await run(job)))
process.send?.('ready')
