import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDomain, type TestDomain } from '../setup/uploads.ts'

let domain: TestDomain
beforeAll(async () => {
  domain = await startDomain()
})
afterAll(() => domain.close())

it('the sweep leaves alone what a transfer is storing on this server', async () => {
  const bytes = randomBytes(20)
  const body = new PassThrough()
  const { signal } = new AbortController()
  const { local, store } = domain
  const entry = { parent: local.root, name: 'a.bin', size: bytes.length, mimeType: null }
  const progress = { session: null, save: async () => {}, onProgress: () => {} }
  const storing = local.put({ signal, requestId: 'r' }, entry, { size: bytes.length, open: () => body }, progress)
  body.write(bytes.subarray(0, 10))
  await expect.poll(() => store.listStaged()).toHaveLength(1)
  await domain.housekeeping.uploads.sweepStaging(signal)
  body.end(bytes.subarray(10))
  const { ref } = await storing
  const stored = Readable.from(store.open(ref, bytes.length).read(0, bytes.length - 1))
  expect(Buffer.concat(await stored.toArray())).toEqual(bytes)
})
