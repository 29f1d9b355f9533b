import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createBlockSummer, restoreBlockSummer } from '../../server/domain/files/content/blockSums.ts'
import { createKeepingSha256, createSavableSha256 } from '../../server/lib/savableSha256.ts'

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

  it('continues in any process what it has kept', () => {
    const bytes = randomBytes(1_000)
    const hash = createKeepingSha256()
    hash.update(bytes.subarray(0, 100))
    const copy = hash.copy()
    hash.update(bytes.subarray(100, 300))
    const restored = createSavableSha256(hash.state())
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
