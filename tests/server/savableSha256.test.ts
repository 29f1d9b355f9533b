import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createBlockSummer, restoreBlockSummer } from '../../server/domain/files/content/blockSums.ts'
import { createSavableSha256 } from '../../server/lib/savableSha256.ts'

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

  it('is not changed by its copy', () => {
    const hash = createSavableSha256()
    hash.update(Buffer.from('abc'))
    hash.copy().update(Buffer.from('more'))
    expect(hash.digest()).toEqual(createHash('sha256').update('abc').digest())
  })

  it('sums blocks, in any process', () => {
    const bytes = randomBytes(2_500_000)
    const whole = createBlockSummer(bytes.length)
    whole.update(bytes)
    let summer = createBlockSummer(bytes.length, true)
    for (let at = 0; at < bytes.length; at += 700_000) {
      summer.update(bytes.subarray(at, at + 700_000))
      const state = summer.state()
      if (state) summer = restoreBlockSummer(JSON.parse(JSON.stringify(state)))
    }
    expect(whole.state()).toBeNull()
    expect(summer.result()).toEqual(whole.result())
  })
})
