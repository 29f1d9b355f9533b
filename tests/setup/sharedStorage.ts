import { randomBytes, randomUUID } from 'node:crypto'
import { createS3Client } from '../../server/providers/amazon-s3/client.ts'
import { nothingWhen } from '../../server/providers/errors.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { startS3Emulator } from '../fakes/s3/emulator.ts'
import { prepareStore, startStore } from '../fakes/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'

/** Where the servers of one installation keep what they share. */
export type SharedStorage = {
  /** Settings that all servers need for it, as environment variables. */
  readonly settings: Readonly<Record<string, string>>
  /** Null: the data folder is shared. Otherwise each server has one of its own. */
  readonly bucket: Bucket | null
}

export type Bucket = {
  /** Of its objects. */
  keys(): Promise<readonly string[]>
  /** Size and time of an object, as text; null if it is only listed, as by a service that crashed during the deletion. */
  find(key: string): Promise<string | null>
  /** Of uploads in parts that were neither completed nor aborted. */
  unfinished(): Promise<readonly string[]>
}

const SHARED_FOLDER: SharedStorage = { settings: {}, bucket: null }

let service: Promise<S3Server> | undefined

/**
 * By the environment variable STORAGE: `s3` is a new bucket of one service for all suites of this process (see `startStore`; our
 * emulator where there is none), which ends with the process. Otherwise the data folder is shared.
 */
export async function openSharedStorage(kind = process.env.STORAGE): Promise<SharedStorage> {
  if (!kind) return SHARED_FOLDER
  if (kind !== 's3') throw new Error('STORAGE is s3 or not set.')
  service ??= prepareStore().then((missing): Promise<S3Server> => (missing === null ? startStore() : startS3Emulator()))
  return bucketOf(await service)
}

/** A new bucket for servers with folders of their own. */
export async function bucketOf(server: S3Server): Promise<SharedStorage> {
  const { endpoint, accessKey, secretKey } = server
  const name = `servers-${randomUUID()}`
  const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true) })
  const client = createS3Client({
    http,
    bucket: { endpoint, region: 'us-east-1', bucket: name, style: 'path', accessKey, secretKey },
  })
  const call = () => ({ signal: AbortSignal.timeout(60_000), requestId: randomUUID() })
  const made = await client.send(call(), 'makeBucket', { method: 'PUT' })
  made.dispose()
  /** Pages of at most 1,000, each from after the last key of the one before. */
  async function list(element: string, query: (after: string) => Record<string, string>): Promise<string[]> {
    const keys: string[] = []
    for (let more = true; more; ) {
      const page = await client.ask(call(), 'list', { method: 'GET', query: query(keys.at(-1) ?? '') })
      for (const { name, children } of page.children)
        if (name === element) keys.push(children.find((child) => child.name === 'Key')?.text ?? '')
      more = page.children.some(({ name, text }) => name === 'IsTruncated' && text === 'true')
    }
    return keys
  }
  return {
    settings: { STORAGE_URL: urlOf(server, name), SECRET_KEY: randomBytes(32).toString('hex') },
    bucket: {
      keys: () => list('Contents', (after) => ({ 'list-type': '2', ...(after && { 'start-after': after }) })),
      async find(key) {
        const found = await client.send(call(), 'head', { method: 'HEAD', key }).catch(nothingWhen('NotFound'))
        found?.dispose()
        return found && `${found.header('content-length')} bytes of ${found.header('last-modified')}`
      },
      unfinished: () => list('Upload', (after) => ({ uploads: '', ...(after && { 'key-marker': after }) })),
    },
  }
}

function urlOf({ endpoint, accessKey, secretKey }: S3Server, bucket: string): string {
  const { protocol, host } = new URL(endpoint)
  const login = [accessKey, secretKey].map(encodeURIComponent).join(':')
  const transport = protocol === 'http:' ? '&tls=0' : ''
  return `s3://${login}@${host}/${bucket}?region=us-east-1&path-style=1${transport}`
}
