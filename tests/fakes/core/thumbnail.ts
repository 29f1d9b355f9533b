import type { Readable } from 'node:stream'
import sharp from 'sharp'

/** Kinds of files that services make small pictures of. */
const PICTURED = /^(?:image|video)\//

/** Whether a service makes small pictures of files of this type. */
export const isPictured = (mimeType: string): boolean => PICTURED.test(mimeType)

/**
 * What a service shows of a file, at most `side` pixels wide and high: the picture itself, for videos a grey frame, and nothing for
 * what cannot be decoded.
 */
export async function thumbnailOf(
  mimeType: string,
  bytes: Readable | AsyncIterable<Buffer>,
  side: number,
): Promise<Buffer | null> {
  if (mimeType.startsWith('video/')) {
    const frame = { width: side, height: Math.round((side * 9) / 16), channels: 3, background: '#567' } as const
    return sharp({ create: frame }).jpeg().toBuffer()
  }
  const chunks: Buffer[] = []
  for await (const chunk of bytes as AsyncIterable<Buffer>) chunks.push(chunk)
  const fitted = sharp(Buffer.concat(chunks)).rotate()
  return fitted
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .jpeg()
    .toBuffer()
    .catch(() => null)
}
