import type { Bytes } from '../dropbox/bytes.ts'

const WIDTH = 160
const SHIFT = 11

/**
 * Microsoft's QuickXorHash in base64, written down as its documentation describes it: a register of 160 bits, into which each byte is
 * combined 11 bits further than the one before; at the end the length is combined with its last 64 bits.
 */
export async function quickXorOf(bytes: Bytes): Promise<string> {
  const register = Buffer.alloc(WIDTH / 8)
  let at = 0
  for await (const part of bytes.read(0, bytes.size)) {
    for (const byte of part) {
      const [index, bit] = [at >> 3, at & 7]
      const next = (index + 1) % register.length
      register[index] = (register[index] ?? 0) ^ ((byte << bit) & 0xff)
      register[next] = (register[next] ?? 0) ^ (byte >> (8 - bit))
      at = (at + SHIFT) % WIDTH
    }
  }
  const length = register.readBigUInt64LE(12) ^ BigInt(bytes.size)
  register.writeBigUInt64LE(length, 12)
  return register.toString('base64')
}
