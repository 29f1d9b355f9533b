import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createOwner } from '../factories/files.ts'
import { connectAccount, createRemoteFile } from '../factories/remoteFiles.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

const MIB = 2 ** 20
const SIZE = 8 * MIB

let domain: FilesDomain
/** An account whose responses stop in the middle without ending. */
let hanging: string

beforeAll(async () => {
  domain = await startFilesDomain({
    stallMs: 50,
    wrap: (driver, accountId) => ({
      ...driver,
      async get(call, ref, range) {
        const { body } = await driver.get(call, ref, range)
        if (accountId !== hanging) return { body }
        async function* start() {
          let sent = 0
          for await (const chunk of body as AsyncIterable<Buffer>) {
            yield chunk
            sent += chunk.length
            if (sent > 3 * MIB) await new Promise(() => {})
          }
        }
        return { body: Readable.from(start(), { objectMode: false }) }
      },
    }),
  })
})
afterAll(() => domain.close())

it('an account that falls silent in the middle has failed: the next copy goes on', async () => {
  const owner = await createOwner(domain.pool)
  const scope = { userId: owner.viewer.userId, groupCloudId: owner.groupCloudId }
  hanging = await connectAccount(domain, { ...scope, name: 'Hanging' })
  const other = await connectAccount(domain, { ...scope, name: 'Other' })
  const content = randomBytes(SIZE)
  const copies = [hanging, other].map((accountId) => [{ accountId, size: SIZE }])
  const id = await createRemoteFile(domain, { ...scope, content, copies })
  const { source } = await domain.files.open(owner.viewer, id)
  const chunks: Buffer[] = []
  for await (const chunk of source.read(0, SIZE - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
  expect(Buffer.concat(chunks).equals(content)).toBe(true)
  const failed = domain.reported.filter(({ error }) => error !== null)
  expect(failed).toMatchObject([{ accountId: hanging, error: { code: 'Transient' } }])
})
