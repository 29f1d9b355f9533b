import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StorageFullError } from '../../server/domain/errors.ts'
import { toDomainError } from '../../server/domain/uploads/commit.ts'
import { createDiskSpace, type Disk } from '../../server/storage/diskSpace.ts'
import { DiskFullError } from '../../server/storage/errors.ts'
import { createObjectStore } from '../../server/storage/objectStore.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { startUploadsHttp } from '../setup/uploads.ts'

/** Room that uploads use while their bytes arrive: of a quota, and of the disk. */

const MIB = 1024 * 1024
const GIB = 1024 * MIB

describe('one-request uploads', () => {
  const QUOTA = 8 * MIB
  let http: Awaited<ReturnType<typeof startUploadsHttp>>
  let ada: TestUser
  beforeAll(async () => {
    http = await startUploadsHttp({ localQuotaBytes: QUOTA, acceptAnyType: true })
    ada = await createUser(http.services.users)
  })
  afterAll(() => http?.close())

  const stagedBytes = () => {
    const folder = join(http.dataDir, 'staging')
    return readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  }
  const reserved = async (user = ada) => {
    const { rows } = await http.database.pool.query(
      'select coalesce(sum(reserved_bytes), 0)::int as bytes from accounts where user_id = $1',
      [user.user.id],
    )
    return rows[0].bytes as number
  }

  it('that come at once do not fill staging with more than there is room for', async () => {
    const chunk = Buffer.alloc(MIB, 1)
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let settled = 0
    // Everything except the last byte has arrived of each upload that is not refused before.
    async function* body() {
      for (let sent = 0; sent < 3; sent += 1) yield chunk
      settled += 1
      await gate
      yield chunk.subarray(0, 1)
    }
    const input = { name: 'three.bin', size: null, atMostBytes: 3 * MIB + 300 }
    const uploads = Array.from({ length: 40 }, () =>
      http.services.uploads.receive(ada.viewer, input, Readable.from(body())).then(
        () => 'stored' as const,
        (error: unknown) => {
          settled += 1
          return error
        },
      ),
    )
    await vi.waitUntil(() => settled === 40, 120_000)
    expect(stagedBytes()).toBeLessThanOrEqual(QUOTA)
    open()
    const outcomes = await Promise.all(uploads)
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(2)
    const refused = outcomes.filter((outcome) => outcome instanceof StorageFullError)
    expect(refused).toHaveLength(38)
    expect(await reserved()).toBe(0)
    // A stored object leaves staging after the response.
    await vi.waitUntil(() => stagedBytes() === 0, 120_000)
  })

  it('reserve what has come, free it when they break off, and count it once when they become a file', async () => {
    const bob = await createUser(http.services.users)
    const chunk = Buffer.alloc(MIB, 2)
    const input = { name: 'grown.bin', size: null }
    let seen: number[] = []
    async function* bytes(breaks: boolean) {
      for (let sent = 0; sent < 4; sent += 1) {
        yield chunk
        seen.push(await reserved(bob))
      }
      if (breaks) throw new Error('cut')
    }
    await expect(http.services.uploads.receive(bob.viewer, input, Readable.from(bytes(true)))).rejects.toThrow(
      /broke off/,
    )
    expect(seen.at(-1)).toBeGreaterThanOrEqual(3 * MIB)
    expect(await reserved(bob)).toBe(0)
    seen = []
    const file = await http.services.uploads.receive(bob.viewer, input, Readable.from(bytes(false)))
    expect([file.size, seen[0], await reserved(bob)]).toEqual([4 * MIB, 0, 0])
    const { rows } = await http.database.pool.query('select used_bytes::int as used from accounts where user_id = $1', [
      bob.user.id,
    ])
    expect(rows[0].used).toBe(4 * MIB)
  })
})

describe('the disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'skypool-space-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const logger = { warn: () => {}, info: () => {} }
  const spaceOf = (disk: () => Disk, now = () => 0) =>
    createDiskSpace({ directory, reserveBytes: GIB, logger, measure: async () => disk(), now })

  it('keeps its reserve: what would need it is refused with what is left, and taken again when there is room', async () => {
    let disk = { free: GIB + 10 * MIB, total: 100 * GIB }
    let time = 0
    const space = spaceOf(
      () => disk,
      () => time,
    )
    await space.take(6 * MIB)
    expect(space.take(3 * MIB)).toBeUndefined()
    disk = { ...disk, free: GIB + MIB }
    const refused = await Promise.resolve(space.take(3 * MIB)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DiskFullError)
    expect(toDomainError(refused, 3 * MIB)).toMatchObject({ neededBytes: 3 * MIB, freeBytes: MIB })
    expect(toDomainError(refused, 3 * MIB)).toBeInstanceOf(StorageFullError)
    disk = { ...disk, free: 2 * GIB }
    time = 2_000
    await space.take(3 * MIB)
  })

  it('that is small is used all the same', async () => {
    const space = spaceOf(() => ({ free: 50 * MIB, total: 64 * MIB }))
    await space.take(40 * MIB)
    await expect(space.take(48 * MIB)).rejects.toThrow('full')
  })

  it('holds a ballast that is let go when it is full, and made again', async () => {
    const ballast = join(directory, 'ballast')
    let disk = { free: 50 * GIB, total: 100 * GIB }
    const space = spaceOf(() => disk)
    await space.check()
    expect(statSync(ballast).size).toBe(64 * MIB)
    disk = { ...disk, free: 100 * MIB }
    await space.check()
    expect(existsSync(ballast)).toBe(true)
    disk = { ...disk, free: 1 * MIB }
    await space.check()
    expect(existsSync(ballast)).toBe(false)
    disk = { ...disk, free: 500 * MIB }
    await space.check()
    expect(existsSync(ballast)).toBe(false)
    disk = { ...disk, free: 50 * GIB }
    await space.check()
    expect(statSync(ballast).size).toBe(64 * MIB)
  })

  it('is asked before new and continued objects are written', async () => {
    const space = spaceOf(() => ({ free: GIB + MIB / 4, total: 100 * GIB }))
    const store = await createObjectStore(directory, space)
    const [small, large] = ['018f3c1e-0000-7000-8000-000000000001', '018f3c1e-0000-7000-8000-000000000002']
    const one = store.create(small)
    await one.write(Buffer.alloc(1000))
    await one.sync()
    await one.close()
    const other = await store.stage(large, 0)
    const writeAll = async () => {
      for (let turn = 0; turn < 8; turn += 1) await other.write(Buffer.alloc(MIB))
      await other.sync()
    }
    await expect(writeAll()).rejects.toBeInstanceOf(DiskFullError)
    await other.close()
  })
})
