import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { bytesOf, call } from '../../conformance/kit.ts'

const SIZE = 3 * 1024 * 1024
/** In pieces with chunked encoding, or with its length. */
const service = createServer((request, response) => {
  const seed = Number(request.url?.slice(1))
  const bytes = bytesOf(SIZE, seed)
  if (seed % 2 === 0) response.setHeader('content-length', SIZE)
  for (let at = 0; at < SIZE; at += 100_000) response.write(bytes.subarray(at, at + 100_000))
  response.end()
})
beforeAll(() => new Promise<void>((done) => service.listen(0, '127.0.0.1', done)))
afterAll(() => new Promise((done) => service.close(done)))

it('keeps the bytes of responses apart that arrive side by side for readers who keep them', async () => {
  const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true) })
  const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const read = async (seed: number): Promise<Buffer> => {
    const where = { provider: 'test', operation: 'get' }
    const response = await http.send(call(), { where, method: 'GET', url: `${origin}/${seed}` })
    const chunks: Buffer[] = []
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      await new Promise(setImmediate)
    }
    return Buffer.concat(chunks)
  }
  for (const seeds of [
    [1, 2, 3, 4, 5, 6],
    [7, 8, 9],
  ]) {
    const got = await Promise.all(seeds.map(read))
    for (const [index, seed] of seeds.entries()) expect(got[index]?.equals(bytesOf(SIZE, seed))).toBe(true)
  }
})
