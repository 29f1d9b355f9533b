import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConflictError, InvalidInputError, NotFoundError, PreconditionFailedError } from '../../server/domain/errors.ts'
import type { FilesService } from '../../server/domain/files/contract.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { changeTree, lockAccounts } from '../../server/domain/files/tree/change.ts'
import { markPurged } from '../../server/domain/files/tree/trash.ts'
import type { UploadsService } from '../../server/domain/uploads/contract.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import {
  createVersionsHousekeeping,
  createVersionsService,
  type VersionsService,
} from '../../server/domain/versions/service.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { createOwner } from '../factories/files.ts'
import { MIB, startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/** Replacing a file keeps the file, and its old content as a version: on this server and at providers, also while bytes are on their way. */
let world: TransfersWorld
let files: Pick<FilesService, 'get' | 'list' | 'trash' | 'restore' | 'remove' | 'star' | 'update' | 'storageByType'>
let uploads: UploadsService
let versions: VersionsService
let pool: string

beforeEach(async () => {
  world = await startTransfersWorld()
  const { pool: database, store, events, enqueue, openDriver, contents } = world
  const service = createFilesService({ pool: database, events, enqueue, contents })
  files = service
  const onError = (error: unknown) => world.errors.push(error)
  const answering = { getFile: service.get, getCopies: service.copies, onError }
  const intake = { pool: database, openDriver, leases: database, alone: true, store, events, enqueue, anyType: true }
  uploads = createUploads({ ...intake, ...answering }).service
  const deps = { pool: database, events, enqueue }
  versions = createVersionsService({ ...deps, contents, receive: uploads.receive })
  Object.assign(world.housekeeping, { versions: createVersionsHousekeeping(deps) })
  pool = await world.groupCloud([await world.account('north'), await world.account('south')])
})
afterEach(async () => {
  expect(world.errors).toEqual([])
  expect(await world.audit()).toEqual([])
  await world.close()
})

const put = (content: Buffer | string, options: { name?: string; parentId?: string; to?: string } = {}) => {
  const bytes = Buffer.from(content)
  const { name = 'a.txt', to = pool, parentId } = options
  const input = { name, size: bytes.length, groupCloudId: to, parentId, onConflict: 'REPLACE' } as const
  return uploads.receive(world.viewer, input, Readable.from([bytes]))
}
const read = async (id: string) => (await world.read(id)).toString()
const readVersion = async (id: string) => {
  const { source } = await versions.open(world.viewer, id)
  const chunks: Buffer[] = []
  if (source.size > 0) {
    for await (const chunk of source.read(0, source.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
const list = (id: string) => versions.list(world.viewer, id)
const texts = async (id: string) => Promise.all((await list(id)).map((version) => readVersion(version.id)))
const earlier = async (id: string, index = 1) => {
  const found = (await list(id))[index]
  if (!found) throw new Error('There is no such version.')
  return found.id
}
const rows = async () =>
  (await world.pool.query('select from files where user_id = $1', [world.viewer.userId])).rowCount ?? 0
const named = async () => {
  const { items } = await world.pool.query('select 1').then(() => files.list(world.viewer, { view: 'ALL', limit: 50 }))
  return items.map(({ file }) => file.name)
}

describe('replacing', () => {
  it('keeps the file with its id and its star, and its old content', async () => {
    const { id } = await put('one')
    await files.star(world.viewer, [id], true)
    const replaced = await put('two, longer')
    expect(replaced).toMatchObject({ id, name: 'a.txt', starred: true, size: 11 })
    await world.settleDown()
    expect(await read(id)).toBe('two, longer')
    expect(await texts(id)).toEqual(['two, longer', 'one'])
    expect(await list(id)).toMatchObject([
      { isCurrent: true, source: 'UPLOAD', by: 'Ada Lovelace', byKey: false, endedAt: null, keptUntil: null },
      { isCurrent: false, size: 3 },
    ])
    expect(await named()).toEqual(['a.txt'])
    expect((await world.file(id)).state).toBe('STORED')
    expect(world.names('north').length + world.names('south').length).toBe(2)
  })

  it('stores both contents at their accounts when the first one was still on its way', async () => {
    const first = randomBytes(3 * MIB)
    const { id } = await put(first, { name: 'a.bin' })
    await world.runJobs()
    const [running = ''] = await world.due()
    const second = randomBytes(2 * MIB)
    // The transfer of the first content is loaded, and then the file gets the second one.
    await Promise.all([world.run(running), put(second, { name: 'a.bin' })])
    await world.settleDown()
    expect((await world.read(id)).equals(second)).toBe(true)
    const { source } = await versions.open(world.viewer, await earlier(id))
    const chunks: Buffer[] = []
    for await (const chunk of source.read(0, source.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(first)).toBe(true)
    const { rows: states } = await world.pool.query('select state, staged_ref from files')
    expect(states).toEqual([
      { state: 'STORED', staged_ref: null },
      { state: 'STORED', staged_ref: null },
    ])
  })

  it('lets a reader in the middle of the old content finish it', async () => {
    const first = randomBytes(4 * MIB)
    const { id } = await put(first, { name: 'a.bin' })
    await world.settleDown()
    const source = await world.contents.source(id)
    const reader = await source.open()
    const part = Buffer.alloc(MIB)
    expect(await reader.read(part, 0)).toBeGreaterThan(0)
    await put(randomBytes(MIB), { name: 'a.bin' })
    await world.settleDown()
    const whole: Buffer[] = []
    for await (const chunk of source.read(0, source.size - 1) as AsyncIterable<Buffer>) whole.push(chunk)
    await reader.close()
    expect(Buffer.concat(whole).equals(first)).toBe(true)
  })

  it('makes no version of the same content, and leaves no bytes of it', async () => {
    const { id } = await put('same')
    await world.settleDown()
    expect((await put('same')).id).toBe(id)
    await world.settleDown()
    expect(await list(id)).toHaveLength(1)
    expect(await rows()).toBe(1)
  })

  it.each([
    [false, /^a ~[0-9a-f]{6}\.txt$/],
    [true, /^a\.txt$/],
  ])(
    'sends new content once, under a name that is free (equal names are allowed: %s)',
    async (duplicateNames, name) => {
      const east = await world.account('east')
      const to = await world.groupCloud([east])
      const driver = world.drivers.get(east) as Driver
      const sent: string[] = []
      world.drivers.set(east, {
        ...driver,
        capabilities: { ...driver.capabilities, duplicateNames },
        put(call, entry, ...others) {
          sent.push(entry.name)
          return driver.put(call, entry, ...others)
        },
      })
      await put('one', { to })
      await world.settleDown()
      await put('two', { to })
      await world.settleDown()
      expect(sent).toEqual(['a.txt', expect.stringMatching(name)])
    },
  )

  it('keeps the order of several replacements at once', async () => {
    const { id } = await put('0')
    await Promise.all(['1', '2', '3', '4'].map((text) => put(text)))
    await world.settleDown()
    expect((await texts(id)).sort()).toEqual(['0', '1', '2', '3', '4'])
    expect(await texts(id)).toHaveLength(5)
    expect(await read(id)).toBe((await texts(id))[0])
  })

  it('stays in the group cloud of the file unless the upload names one', async () => {
    const { id } = await put('one')
    const input = { name: 'a.txt', size: 3, onConflict: 'REPLACE' } as const
    await uploads.receive(world.viewer, input, Readable.from([Buffer.from('two')]))
    expect((await files.get(world.viewer, id)).groupCloudId).toBe(pool)
    await world.settleDown()
  })

  it('writes only to the content that is expected', async () => {
    const { id, sha256 } = await put('one')
    const write = (text: string, ifSha256?: string[]) =>
      versions.write(world.viewer, id, { size: text.length, ifSha256, source: 'EDITOR' }, Readable.from([text]))
    await expect(write('mine', ['0'.repeat(64)])).rejects.toThrow(PreconditionFailedError)
    expect(await read(id)).toBe('one')
    await write('mine', [sha256 ?? ''])
    expect(await texts(id)).toEqual(['mine', 'one'])
    expect((await list(id))[0]?.source).toBe('EDITOR')
    await expect(write('again', [sha256 ?? ''])).rejects.toThrow(PreconditionFailedError)
    await world.settleDown()
    await files.trash(world.viewer, [id])
    await expect(write('trashed')).rejects.toThrow(NotFoundError)
  })
})

describe('restoring', () => {
  it('makes a new version of an earlier one, and can be undone', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    const { previousId } = await versions.restore(world.viewer, await earlier(id))
    await world.settleDown()
    expect(await texts(id)).toEqual(['one', 'two', 'one'])
    const [current, , oldest] = await list(id)
    expect(current).toMatchObject({ isCurrent: true, source: 'RESTORE', restoredFrom: oldest?.createdAt })
    await versions.restore(world.viewer, previousId ?? '')
    await world.settleDown()
    expect(await texts(id)).toEqual(['two', 'one', 'two', 'one'])
    expect(await read(id)).toBe('two')
    // Two contents, however many versions there are.
    expect(await rows()).toBe(2)
  })

  it('refuses the current version, versions of others, and files in the trash', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    await expect(versions.restore(world.viewer, await earlier(id, 0))).rejects.toThrow(ConflictError)
    const { viewer: stranger } = await createOwner(world.pool)
    const versionId = await earlier(id)
    for (const refused of [versions.restore, versions.remove, versions.open]) {
      await expect(refused(stranger, versionId)).rejects.toThrow(NotFoundError)
    }
    await expect(versions.list(stranger, id)).rejects.toThrow(NotFoundError)
    await files.trash(world.viewer, [id])
    await expect(versions.restore(world.viewer, versionId)).rejects.toThrow(NotFoundError)
  })
})

describe('removing', () => {
  it('deletes the bytes of a version, unless another one has them', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    await versions.restore(world.viewer, await earlier(id))
    await versions.remove(world.viewer, await earlier(id, 2))
    await world.settleDown()
    expect(await texts(id)).toEqual(['one', 'two'])
    await versions.remove(world.viewer, await earlier(id))
    await world.settleDown()
    expect(await texts(id)).toEqual(['one'])
    expect(await rows()).toBe(1)
    expect(world.names('north').length + world.names('south').length).toBe(1)
    await expect(versions.remove(world.viewer, await earlier(id, 0))).rejects.toThrow(ConflictError)
  })

  it('goes with the file to the trash, back, and away for ever', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    await files.trash(world.viewer, [id])
    await files.restore(world.viewer, [id])
    expect(await texts(id)).toEqual(['two', 'one'])
    await files.remove(world.viewer, [id])
    await world.settleDown()
    expect(await rows()).toBe(0)
    expect([...world.names('north'), ...world.names('south')]).toEqual([])
  })

  it('goes with a file of a large folder that is deleted while the bytes of another file are being removed', async () => {
    const { id: other } = await put('other', { name: 'other.txt' })
    const { id } = await put('one')
    await put('two')
    await files.remove(world.viewer, [other])
    const { pool: database, events, enqueue, viewer } = world
    // As of a folder with so many entries that the versions of its files are left to the job.
    const removeFileAlone = () =>
      changeTree({ pool: database, events, enqueue }, viewer, async (change) => {
        await lockAccounts(change)
        await markPurged(change, [id], 1)
        await enqueue(change.tx, 'purgeFiles', { userId: viewer.userId }, { key: `purge ${viewer.userId}` })
      })
    const deleting = vi.spyOn(world.store, 'delete').mockImplementationOnce(async () => {
      deleting.mockRestore()
      await removeFileAlone()
    })
    await world.housekeeping.files.purge(viewer.userId, new AbortController().signal)
    await world.settleDown()
    expect(await rows()).toBe(0)
    expect([...world.names('north'), ...world.names('south')]).toEqual([])
  })

  it('moves to another group cloud with its file', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    const other = await world.groupCloud([await world.account('east')])
    await files.update(world.viewer, id, { groupCloudId: other })
    await world.settleDown()
    expect([world.names('north'), world.names('south')].flat()).toEqual([])
    expect(world.names('east')).toHaveLength(2)
    expect(await texts(id)).toEqual(['two', 'one'])
  })
})

describe('limits', () => {
  it('removes versions beyond the number and the days that their owner keeps', async () => {
    const { id } = await put('0')
    for (const text of ['1', '2', '3']) await put(text)
    await world.settleDown()
    expect(await versions.limits(world.viewer)).toEqual({ days: 30, most: 100 })
    expect(await versions.usage(world.viewer)).toEqual({ versions: 3, bytes: 3 })
    await versions.setLimits(world.viewer, { most: 2 })
    await world.settleDown()
    expect(await texts(id)).toEqual(['3', '2', '1'])
    // With the replacement that is one too many, without waiting for the hour.
    await put('4')
    await world.settleDown()
    expect(await texts(id)).toEqual(['4', '3', '2'])
    await world.pool.query(`update file_versions set ended_at = now() - interval '31 days' where ended_at is not null`)
    await world.housekeeping.versions.sweep(undefined, new AbortController().signal)
    await world.settleDown()
    expect(await texts(id)).toEqual(['4'])
    expect(await rows()).toBe(1)
    for (const refused of [{ days: 0 }, { days: 1.5 }, { most: 0 }, { most: 1001 }, { days: 3651 }]) {
      await expect(versions.setLimits(world.viewer, refused)).rejects.toThrow(InvalidInputError)
    }
  })

  it('keeps a version whose owner decides to keep it longer while others are removed', async () => {
    const { id } = await put('one')
    await put('two')
    await world.settleDown()
    await world.pool.query(`update file_versions set ended_at = now() - interval '31 days' where ended_at is not null`)
    const { pool: database, events, enqueue } = world
    const decided: Pick<typeof database, 'query'> = {
      query: (async (text: string, values: unknown[]) => {
        const found = await database.query(text, values)
        await versions.setLimits(world.viewer, { days: 60 })
        return found
      }) as typeof database.query,
    }
    const slow = Object.assign(Object.create(database) as typeof database, decided)
    await createVersionsHousekeeping({ pool: slow, events, enqueue }).sweep(undefined, new AbortController().signal)
    await world.settleDown()
    expect(await texts(id)).toEqual(['two', 'one'])
  })

  it('does not count versions among the files of a type', async () => {
    await put('one')
    await put('two')
    await world.settleDown()
    expect(await files.storageByType(world.viewer)).toEqual([{ category: 'TEXT', files: 1, bytes: 3 }])
  })
})
