import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBlockSummer, restoreBlockSummer } from '../../server/domain/files/content/blockSums.ts'
import { createContentHasher, createDurableProgress, noteOf } from '../../server/domain/uploads/stagedBytes.ts'
import { createKeepingSha256, createSavableSha256, prepareSavableSha256 } from '../../server/lib/savableSha256.ts'
import { createObjectStore } from '../../server/storage/objectStore.ts'

beforeAll(prepareSavableSha256)

describe('a hash whose state is stored', () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 100_000])('is SHA-256, of %i bytes', (size) => {
    const bytes = randomBytes(size)
    let hash = createSavableSha256()
    for (let at = 0, turn = 1; at < size; turn += 1) {
      const chunk = bytes.subarray(at, at + ((turn * 37) % 200) + 1)
      hash.update(chunk)
      at += chunk.length
      if (turn % 3 === 0) hash = createSavableSha256(hash.state())
      else if (turn % 5 === 0) hash = hash.copy()
    }
    expect(hash.digest()).toEqual(createHash('sha256').update(bytes).digest())
  })

  it('is SHA-256 of chunks of any size and place in memory, of several hashes in turn', () => {
    const bytes = randomBytes(700_001)
    const hashes = [createSavableSha256(), createSavableSha256()]
    for (const [at, end] of [
      [0, 3],
      [3, 200_000],
      [200_000, 200_001],
      [200_001, 700_001],
    ] as const) {
      for (const hash of hashes) hash.update(bytes.subarray(at, end))
    }
    for (const hash of hashes) expect(hash.digest()).toEqual(createHash('sha256').update(bytes).digest())
  })

  it.each([createSavableSha256, createKeepingSha256])('is not changed by its copy (%o)', (create) => {
    const hash = create()
    hash.update(Buffer.from('abc'))
    hash.copy().update(Buffer.from('more'))
    expect(hash.digest()).toEqual(createHash('sha256').update('abc').digest())
  })

  it('refuses a state that it cannot continue', () => {
    const state = createSavableSha256().state()
    state[0] = (state[0] ?? 0) ^ 1
    expect(() => createSavableSha256(state)).toThrow()
    expect(() => createSavableSha256(Buffer.alloc(40))).toThrow()
  })

  it('continues in any process what it has kept', () => {
    const bytes = randomBytes(1_000)
    const hash = createKeepingSha256()
    hash.update(bytes.subarray(0, 100))
    const copy = hash.copy()
    const hashed = Buffer.from(bytes.subarray(100, 300))
    hash.update(hashed)
    const restored = createSavableSha256(hash.state())
    // Nothing is kept any more: these bytes would be wrong.
    hashed.fill(0)
    for (const [each, from] of [
      [hash, 300],
      [hash.copy(), 300],
      [restored, 300],
      [copy, 100],
    ] as const) {
      each.update(bytes.subarray(from))
      expect(each.digest()).toEqual(createHash('sha256').update(bytes).digest())
    }
  })

  it.each([700_000, 60_000])('sums blocks, in any process, of %i bytes at a time', (length) => {
    const bytes = randomBytes(2_500_000)
    const whole = createBlockSummer(bytes.length)
    whole.update(bytes)
    let summer = createBlockSummer(bytes.length, true)
    for (let at = 0, turn = 1; at < bytes.length; at += length, turn += 1) {
      summer.update(bytes.subarray(at, at + length))
      const state = turn % 7 < 2 ? summer.state() : null
      if (state) summer = restoreBlockSummer(JSON.parse(JSON.stringify(state)))
      else if (turn % 7 === 3) summer = summer.copy()
    }
    expect(whole.state()).toBeNull()
    expect(summer.result()).toEqual(whole.result())
  })
})

describe('an upload with sums of blocks', () => {
  let dataDir: string
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'skypool-progress-'))
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  it.each([700_001, 2 * 2 ** 20])(
    'is continued by servers in turn from %i bytes each, which none reads again',
    async (length) => {
      const id = randomUUID()
      const bytes = randomBytes(5 * 2 ** 20 + 3)
      const upload = { id, size: bytes.length, withSums: true, savable: true }
      let note: Buffer | null = null
      const store = { ...(await createObjectStore(dataDir)), keepsNotes: true, stagedNote: async () => note }
      const servers = [createDurableProgress(store), createDurableProgress(store)]
      const notRead = () => {
        throw new Error('Bytes were read again.')
      }
      for (let turn = 0, at = 0; at < bytes.length; turn += 1) {
        const progress = servers[turn % 2]
        const found = await progress?.read(upload, notRead)
        expect(found?.offset).toBe(at)
        const hasher = found?.hasher.copy()
        const writer = await store.stage(id, at)
        for (const end = Math.min(at + length, bytes.length); at < end; ) {
          const chunk = bytes.subarray(at, Math.min(at + 65_536, end))
          hasher?.update(chunk)
          await writer.write(chunk)
          at += chunk.length
        }
        await writer.sync()
        await writer.close()
        if (!hasher) continue
        note = noteOf({ offset: at, hasher })
        progress?.remember(id, { offset: at, hasher })
      }
      const whole = createContentHasher({ size: bytes.length, withSums: true })
      whole.update(bytes)
      const expected = whole.finish()
      for (const progress of servers) {
        const { hasher } = await progress.read(upload, notRead)
        expect(hasher.copy().finish()).toEqual(expected)
      }
    },
  )

  it('is read again where its state comes from another version of the library', async () => {
    const id = randomUUID()
    const bytes = randomBytes(100)
    const upload = { id, size: 200, withSums: false, savable: true }
    const whole = createContentHasher(upload)
    whole.update(bytes)
    const saved = JSON.parse(String(noteOf({ offset: bytes.length, hasher: whole })))
    const state = Buffer.from(saved.sha256, 'base64')
    state[0] = (state[0] ?? 0) ^ 1
    const note = Buffer.from(JSON.stringify({ ...saved, sha256: state.toString('base64') }))
    const store = { ...(await createObjectStore(dataDir)), keepsNotes: true, stagedNote: async () => note }
    const writer = await store.stage(id, 0)
    await writer.write(bytes)
    await writer.sync()
    await writer.close()
    let readAgain = 0
    const { hasher } = await createDurableProgress(store).read(upload, (count) => {
      readAgain += count
    })
    expect(readAgain).toBe(bytes.length)
    expect(hasher.finish()).toEqual(whole.finish())
  })
})
