import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createReadBudget, READ_LIMITS } from '../../server/domain/files/content/copyStream.ts'
import type { ByteReader } from '../../server/storage/byteSource.ts'
import { createOwner } from '../factories/files.ts'
import { connectAccount, createRemoteFile, dealt } from '../factories/remoteFiles.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'
import { createThrottle } from '../setup/throttledDriver.ts'

const MIB = 2 ** 20
const SIZE = 96 * MIB
const throttle = createThrottle(400 * MIB)
const content = randomBytes(SIZE)

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let fileId: string

beforeAll(async () => {
  domain = await startFilesDomain({ wrap: throttle.wrap })
  owner = await createOwner(domain.pool)
  const scope = { userId: owner.viewer.userId, groupCloudId: owner.groupCloudId }
  const ids: string[] = []
  for (const name of ['A', 'B', 'C', 'D']) ids.push(await connectAccount(domain, { ...scope, name }))
  fileId = await createRemoteFile(domain, { ...scope, content, copies: [dealt(ids, SIZE, 8 * MIB)] })
})
beforeEach(() => {
  domain.cloud.fault = null
})
afterAll(() => domain.close())

const open = async () => (await domain.files.open(owner.viewer, fileId)).source

/** Waits until the condition holds. */
async function settled(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100 && !isSo(); turn += 1) await sleep(20)
  expect(isSo()).toBe(true)
}

async function readAll(reader: ByteReader, onChunk = () => {}): Promise<void> {
  const target = Buffer.alloc(512 * 1024)
  for (let position = 0; position < SIZE; ) {
    const bytes = await reader.read(target, position)
    if (!target.subarray(0, bytes).equals(content.subarray(position, position + bytes))) throw new Error('Wrong bytes.')
    position += bytes
    onChunk()
  }
}

describe('reading ahead', () => {
  it('asks all accounts at once, and never holds more than its limit', async () => {
    const reader = await (await open()).open({ start: 0, end: SIZE - 1 })
    let [most, mostOpen] = [0, 0]
    await readAll(reader, () => {
      most = Math.max(most, domain.budget.heldBytes())
      mostOpen = Math.max(mostOpen, throttle.openBodies())
    })
    await reader.close()
    expect(mostOpen).toBeGreaterThanOrEqual(4)
    expect(most).toBeGreaterThan(4 * MIB)
    expect(most).toBeLessThanOrEqual(READ_LIMITS.eachBytes)
    await settled(() => domain.budget.heldBytes() === 0 && throttle.openBodies() === 0)
  })

  it('of many readers who do not read holds what all may, and one who reads gets through', async () => {
    const idle: ByteReader[] = []
    for (let index = 0; index < 8; index += 1) {
      const reader = await (await open()).open({ start: 0, end: SIZE - 1 })
      await reader.read(Buffer.alloc(10), 0)
      idle.push(reader)
    }
    await settled(() => domain.budget.heldBytes() >= READ_LIMITS.totalBytes)
    const reader = await (await open()).open({ start: 0, end: SIZE - 1 })
    await readAll(reader)
    // Each at most one block beyond the limit: the one that its reader waits for.
    expect(domain.budget.heldBytes()).toBeLessThanOrEqual(READ_LIMITS.totalBytes + 9 * MIB)
    for (const other of [reader, ...idle]) await other.close()
    await settled(() => domain.budget.heldBytes() === 0 && throttle.openBodies() === 0)
  })

  it('of a small range fetches no more than its blocks', async () => {
    let calls = 0
    domain.cloud.fault = (operation) => {
      if (operation === 'get') calls += 1
      return null
    }
    const source = await open()
    const chunks: Buffer[] = []
    for await (const chunk of source.read(9 * MIB + 5, 9 * MIB + 9) as AsyncIterable<Buffer>) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(content.subarray(9 * MIB + 5, 9 * MIB + 10))).toBe(true)
    expect(calls).toBe(1)
  })
})

describe('a reader that leaves', () => {
  it('by its signal, while an account is silent, is told at once and leaves nothing behind', async () => {
    domain.cloud.fault = (operation) => (operation === 'get' ? { kind: 'silent' } : null)
    const leaving = new AbortController()
    const reader = await (await open()).open({ start: 0, end: SIZE - 1, signal: leaving.signal })
    const reading = reader.read(Buffer.alloc(10), 0)
    setTimeout(() => leaving.abort(), 20)
    await expect(reading).rejects.toThrow('The reader was closed.')
    await reader.close()
    await settled(() => domain.budget.heldBytes() === 0 && throttle.openBodies() === 0)
    expect(domain.reported.filter(({ error }) => error !== null)).toEqual([])
  })

  it('by destroying its stream in the middle leaves nothing behind', async () => {
    const stream = (await open()).read(0, SIZE - 1)
    for await (const _chunk of stream) break
    stream.destroy()
    await settled(() => domain.budget.heldBytes() === 0 && throttle.openBodies() === 0)
  })
})

describe('the memory of downloads', () => {
  const budget = createReadBudget({ totalBytes: 4, eachBytes: 3 })

  it('goes to the lowest position first, in its time, and to what is waited for at once', async () => {
    const [one, two] = [budget.join(), budget.join()]
    one.wantNow(0)
    const first = await one.take(0, 1, 0)
    const [second, third] = [await one.take(1, 1, 0), await one.take(2, 1, 0)]
    const got: number[] = []
    for (const [position, from] of [
      [5, 0],
      [4, 0],
      [3, 3],
    ] as const) {
      void one.take(position, 1, from).then((buffer) => buffer && got.push(position))
    }
    two.wantNow(0)
    expect(await two.take(0, 1, 0)).toHaveLength(1)
    // The budget is used up; only blocks that a reader waits for exceed it.
    two.wantNow(1)
    expect(await two.take(1, 1, 0)).toHaveLength(1)
    expect(budget.heldBytes()).toBe(5)
    for (const buffer of [first, second, third]) if (buffer) one.give(buffer)
    await sleep(0)
    expect(got).toEqual([4, 5])
    one.wantNow(3)
    await sleep(0)
    expect(got).toEqual([4, 5, 3])
    const late = two.take(9, 1, 0)
    two.leave()
    expect(await late).toBeNull()
    expect(await two.take(10, 1, 0)).toBeNull()
  })
})
