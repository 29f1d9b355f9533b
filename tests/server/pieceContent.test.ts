import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createPieceContent } from '../../server/domain/transfers/sendPiece.ts'
import type { ByteSource } from '../../server/storage/byteSource.ts'

const bytes = Buffer.from('0123456789')

/** Breaks the first time that it is read. */
function breakingOnce(): ByteSource {
  let isWhole = false
  const read = (start: number, end: number): Readable => {
    if (isWhole) return Readable.from([bytes.subarray(start, end + 1)])
    isWhole = true
    return new Readable({
      read() {
        this.destroy(new Error('The disk broke.'))
      },
    })
  }
  return { size: bytes.length, read, open: () => Promise.reject(new Error('It is read as a stream.')) }
}

it('a source that broke and was read whole afterwards stopped nothing', async () => {
  const content = createPieceContent(breakingOnce(), { offset: 0, size: bytes.length }, 'md5')
  await expect(content.open(0).toArray()).rejects.toThrow('The disk broke.')
  expect(content.failure).toMatchObject({ message: 'The disk broke.' })
  expect(Buffer.concat(await content.open(0).toArray())).toEqual(bytes)
  expect(content.failure).toBeUndefined()
})
