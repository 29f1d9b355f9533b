import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { StorageFullError } from '../../server/domain/errors.ts'
import { DiskFullError, ObjectStoredError } from '../../server/storage/errors.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { createOwner } from '../factories/files.ts'
import { readObject as read, startDomain } from '../setup/uploads.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'skypool-storage-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

async function put(store: ObjectStore, id: string, bytes: Buffer, chunkSize = bytes.length || 1): Promise<void> {
  const writer = await store.stage(id, 0)
  for (let at = 0; at < bytes.length; at += chunkSize) await writer.write(bytes.subarray(at, at + chunkSize))
  await writer.sync()
  await writer.close()
}

/** What only the disk has; the contract of all stores is in objectStores.test.ts. */
describe('objects on the disk', () => {
  it('are moved once by however many servers of one folder, and never replaced', async () => {
    const stores = await Promise.all([createObjectStore(dataDir), createObjectStore(dataDir)])
    for (let round = 0; round < 20; round += 1) {
      const id = randomUUID()
      await put(stores[0], id, Buffer.from('stored'))
      await Promise.all(stores.map((store) => store.publish(id)))
      // As of an upload whose server was frozen: it begins again what is stored.
      writeFileSync(join(dataDir, 'staging', id), 'other')
      await Promise.all(stores.map((store) => store.publish(id)))
      expect((await read(stores[1], id, 0, 5)).toString()).toBe('stored')
      expect(await stores[1].listStaged()).not.toContain(id)
    }
  })

  it('that nobody has written to for long are told by the clock of the folder', async () => {
    const store = await createObjectStore(dataDir)
    const [idle, fresh] = [randomUUID(), randomUUID()]
    for (const id of [idle, fresh]) await put(store, id, Buffer.from('abc'))
    const written = Date.now() / 1000 - 300
    utimesSync(join(dataDir, 'staging', idle), written, written)
    const found = await store.listStaged(200_000)
    expect(found).toContain(idle)
    expect(found).not.toContain(fresh)
    expect(await store.listStaged()).toEqual(expect.arrayContaining([idle, fresh]))
    expect(readdirSync(join(dataDir, 'staging')).filter((name) => name.startsWith('.'))).toEqual([])
    for (const id of [idle, fresh]) await store.delete(id)
  })

  it('that lay two levels deep are found again', async () => {
    const older = mkdtempSync(join(tmpdir(), 'skypool-older-'))
    const ids = Array.from({ length: 20 }, () => randomUUID())
    for (const id of ids) {
      const folder = join(older, 'objects', id.slice(-4, -2), id.slice(-2))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, id), id)
    }
    const store = await createObjectStore(older)
    for (const id of ids) expect((await read(store, id, 0, 35)).toString()).toBe(id)
    const found: string[] = []
    for await (const id of store.listStored()) found.push(id)
    expect(found.sort()).toEqual([...ids].sort())
    const again = await createObjectStore(older)
    expect(await again.size(ids[0] ?? '')).toBe(36)
    rmSync(older, { recursive: true, force: true })
  })

  it('never leave their folder, nor follow a link', async () => {
    const store = await createObjectStore(dataDir)
    for (const id of ['../x', 'a', '', '..', `${randomUUID()}/../../x`, `${randomUUID()}\0`]) {
      await expect(store.stage(id, 0)).rejects.toThrow('UUID')
      await expect(store.publish(id)).rejects.toThrow('UUID')
    }
    const [id, secret] = [randomUUID(), join(dataDir, 'secret')]
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(dataDir, 'staging', id))
    await expect(read(store, id, 0, 5)).rejects.toThrow()
    await expect(store.stage(id, 0)).rejects.toThrow()
  })

  it.each([0, 2])('are written to no more once they are stored (from byte %i on)', async (offset) => {
    const store = await createObjectStore(dataDir)
    const id = randomUUID()
    await put(store, id, Buffer.from('abc'))
    await store.publish(id)
    if (offset > 0) writeFileSync(join(dataDir, 'staging', id), 'twin')
    await expect(store.stage(id, offset)).rejects.toThrow(ObjectStoredError)
    expect(await store.stagedSize(id)).toBeNull()
    expect((await read(store, id, 0, 2)).toString()).toBe('abc')
  })

  it('are never replaced by a staging object of the same id', async () => {
    const store = await createObjectStore(dataDir)
    const id = randomUUID()
    await put(store, id, Buffer.from('abc'))
    await store.publish(id)
    writeFileSync(join(dataDir, 'staging', id), 'xyz')
    await Promise.all([store.publish(id), store.publish(id)])
    expect(await store.stagedSize(id)).toBeNull()
    expect((await read(store, id, 0, 2)).toString()).toBe('abc')
  })
})

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

describe.skipIf(!isRoot)('a full disk (needs root for a file system of its own)', () => {
  const mount = mkdtempSync(join(tmpdir(), 'skypool-full-'))
  afterAll(() => rmSync(mount, { recursive: true, force: true }))

  it('refuses with 507, leaves nothing, and works again when there is room', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mount])
    const domain = await startDomain({ dataDir: mount })
    try {
      const { viewer } = await createOwner(domain.database.pool)
      const { uploads } = domain.services
      const bytes = Buffer.alloc(6 * 1024 * 1024, 'a')
      const chunks = () => Readable.from([bytes.subarray(0, 3_000_000), bytes.subarray(3_000_000)])
      await expect(uploads.receive(viewer, { name: 'a.txt', size: null }, chunks())).rejects.toThrow(StorageFullError)
      const upload = await uploads.create(viewer, { name: 'b.txt', size: bytes.length })
      await expect(uploads.append(viewer, upload.id, 0, chunks())).rejects.toThrow(StorageFullError)
      expect((await uploads.get(viewer, upload.id)).offset).toBe(0)
      await uploads.remove(viewer, upload.id)
      expect(readdirSync(join(mount, 'staging'))).toEqual([])
      const file = await uploads.receive(
        viewer,
        { name: 'c.txt', size: 1000 },
        Readable.from([bytes.subarray(0, 1000)]),
      )
      expect(file.size).toBe(1000)
    } finally {
      await domain.close()
      execFileSync('umount', ['-l', mount])
    }
  })

  it('is told by the writer as such', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount])
    try {
      const store = await createObjectStore(mount)
      await expect(put(store, randomUUID(), Buffer.alloc(3_000_000), 65_536)).rejects.toThrow(DiskFullError)
    } finally {
      execFileSync('umount', ['-l', mount])
    }
  })
})
