import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type HttpRequest, Upload, type UploadOptions } from 'tus-js-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const MIB = 1024 ** 2
const BYTES = randomBytes(6 * MIB + 13)

let server: TestServer
let folder: string
/** The bytes as a file that the client reads at several offsets at once. */
let path: string
let key: { authorization: string }
let sent: string[]

beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'skypool-tus-'))
  path = join(folder, 'bytes')
  await writeFile(path, BYTES)
})
beforeEach(async () => {
  const { viewer } = await createUser(server.services.users)
  key = { authorization: `Bearer ${(await server.services.keys.create(viewer, { name: 'tus-js-client' })).key}` }
  sent = []
})
afterAll(async () => {
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

type Source = ConstructorParameters<typeof Upload>[0]
type Begin = (upload: Upload) => void

/** Runs an upload of the unmodified client to its end. */
function upload(source: Source, options: UploadOptions, begin: Begin = (it) => it.start()): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = new Upload(source, {
      endpoint: `${server.url}/api/v1/uploads`,
      headers: key,
      metadata: { filename: 'bytes.bin' },
      retryDelays: [],
      onBeforeRequest: (request: HttpRequest) => void sent.push(request.getMethod()),
      onSuccess: () => resolve(),
      onError: reject,
      ...options,
    })
    begin(client)
  })
}

/** The SHA-256 of the download at a path. */
async function sumOf(wanted: string): Promise<string> {
  const address = new URLSearchParams({ path: wanted })
  const found = await fetch(`${server.url}/api/v1/files/by-path?${address}`, { headers: key })
  const { id } = await found.json()
  const content = await fetch(`${server.url}/api/v1/files/${id}/download`, { headers: key })
  return sum(new Uint8Array(await content.arrayBuffer()))
}
const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const countOf = (method: string) => sent.filter((each) => each === method).length
const stream = () =>
  Readable.from([BYTES.subarray(0, MIB), BYTES.subarray(MIB, 2 * MIB + 7), BYTES.subarray(2 * MIB + 7)])

describe('tus-js-client with a key', () => {
  it.each<[string, () => Source, UploadOptions]>([
    ['whole', () => BYTES, {}],
    ['in chunks, the first with the creation', () => BYTES, { chunkSize: MIB, uploadDataDuringCreation: true }],
    ['in four parts at once', () => createReadStream(path), { parallelUploads: 4 }],
    [
      'in parts that have metadata of their own',
      () => createReadStream(path),
      { parallelUploads: 2, chunkSize: MIB, metadataForPartialUploads: { filename: 'part' } },
    ],
    ['as a stream whose length is not known', stream, { uploadLengthDeferred: true, chunkSize: MIB }],
    [
      'as a stream that begins with the creation',
      stream,
      { uploadLengthDeferred: true, uploadDataDuringCreation: true, chunkSize: MIB },
    ],
  ])('sends a file %s', async (_how, source, options) => {
    await upload(source(), options)
    expect(await sumOf('/bytes.bin')).toBe(sum(BYTES))
  })

  it('sends by POST alone where PATCH does not get through', async () => {
    await upload(BYTES, { overridePatchMethod: true, chunkSize: MIB })
    expect(new Set(sent)).toEqual(new Set(['POST']))
    expect(await sumOf('/bytes.bin')).toBe(sum(BYTES))
  })

  it('goes on where it was stopped', async () => {
    await upload(BYTES, { chunkSize: MIB }, (client) => {
      client.options.onChunkComplete = (_size, accepted) => {
        if (accepted !== 3 * MIB) return
        client.options.onChunkComplete = null
        void client.abort().then(() => client.start())
      }
      client.start()
    })
    expect([countOf('POST'), countOf('HEAD'), countOf('PATCH')]).toEqual([1, 1, 7])
    expect(await sumOf('/bytes.bin')).toBe(sum(BYTES))
  })

  it('makes the folders of a relativePath', async () => {
    const bytes = BYTES.subarray(0, 1_000)
    const metadata = { filename: 'leaf.bin', relativePath: 'Trip/Day 1/leaf.bin' }
    await Promise.all([
      upload(bytes, { metadata }),
      upload(bytes, { metadata: { filename: 'other.bin', relativePath: '/Trip/Day 1/other.bin' } }),
      // Uppy sends this for a file that was not in a folder.
      upload(bytes, { metadata: { filename: 'single.bin', relativePath: 'null' } }),
    ])
    for (const wanted of ['/Trip/Day 1/leaf.bin', '/Trip/Day 1/other.bin', '/single.bin']) {
      expect(await sumOf(wanted), wanted).toBe(sum(bytes))
    }
  })
})
