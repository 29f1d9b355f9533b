import { createHash } from 'node:crypto'

/** One of: a text, bytes, or a number of bytes that look random and are the same for the same seed. */
export type PlantedContent = { readonly text?: string; readonly base64?: string; readonly size?: number }

const NOISE_BYTES = 64 * 1024

export function* bytesOfPlanted({ text, base64, size = 0 }: PlantedContent, seed: string): Generator<Buffer> {
  if (text !== undefined) yield Buffer.from(text)
  else if (base64 !== undefined) yield Buffer.from(base64, 'base64')
  else {
    for (let at = 0; at < size; at += NOISE_BYTES) {
      const hash = createHash('shake256', { outputLength: Math.min(NOISE_BYTES, size - at) })
      yield hash.update(`${seed}\n${at}`).digest()
    }
  }
}
