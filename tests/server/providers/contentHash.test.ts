import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createContentHash, type HashAlgorithm } from '../../../server/lib/contentHash.ts'
import { quickXorOf } from '../../fakes/onedrive/quickXor.ts'

const MIB = 1024 * 1024

function hashOf(algorithm: HashAlgorithm, content: Buffer, chunkSize = content.length || 1): string {
  const hash = createContentHash(algorithm)
  for (let at = 0; at < content.length; at += chunkSize) hash.update(content.subarray(at, at + chunkSize))
  return hash.digest()
}

const sha256 = (content: Buffer): Buffer => createHash('sha256').update(content).digest()

function dropboxHash(content: Buffer): string {
  const blocks: Buffer[] = []
  for (let at = 0; at < content.length; at += 4 * MIB) blocks.push(sha256(content.subarray(at, at + 4 * MIB)))
  return sha256(Buffer.concat(blocks)).toString('hex')
}

describe('the hash of a content', () => {
  it.each([
    ['md5', '900150983cd24fb0d6963f7d28e17f72'],
    ['sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['dropbox', '4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358'],
  ] as const)('%s of "abc" is as published', (algorithm, expected) => {
    expect(hashOf(algorithm, Buffer.from('abc'))).toBe(expected)
    expect(hashOf(algorithm, Buffer.from('abc'), 1)).toBe(expected)
  })

  it.each([
    ['md5', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['dropbox', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ] as const)('%s of nothing is the hash of nothing', (algorithm, expected) => {
    expect(hashOf(algorithm, Buffer.alloc(0))).toBe(expected)
  })

  it.each([1, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 8 * MIB, 9 * MIB + 3])(
    'of Dropbox does not depend on the chunks, at %i bytes',
    (size) => {
      const content = randomBytes(size)
      for (const chunkSize of [64 * 1024, 3 * MIB, 5 * MIB, size]) {
        expect(hashOf('dropbox', content, chunkSize)).toBe(dropboxHash(content))
      }
    },
  )

  it.each([0, 1, 159, 160, 161, 1760, 60_001, 100_003])(
    'of OneDrive does not depend on the chunks, nor on where they are in memory, at %i bytes',
    async (size) => {
      const all = randomBytes(size + 3)
      for (const offset of [0, 1, 2, 3]) {
        const content = all.subarray(offset, offset + size)
        const read = async function* (): AsyncGenerator<Buffer> {
          yield content
        }
        const expected = await quickXorOf({
          size,
          read,
          letGo: async () => undefined,
          keep: () => {
            throw new Error('It is not kept.')
          },
        })
        for (const chunkSize of [7, 1001, 60_001, Math.max(1, size)]) {
          expect(hashOf('quickxor', content, chunkSize)).toBe(Buffer.from(expected, 'base64').toString('hex'))
        }
      }
    },
  )
})
