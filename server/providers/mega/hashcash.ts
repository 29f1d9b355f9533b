import { subtle } from 'node:crypto'
import { fromBase64, toBase64 } from './crypto.ts'

const COPIES = 262_144
const TOKEN_BYTES = 48
const PREFIX_BYTES = 4

type Challenge = { readonly threshold: number; readonly token: string; readonly slot: Buffer }

/**
 * A header `X-Hashcash: 1:<easiness>:<time>:<token>`, with which MEGA answers (status 402) while it suspects an attack. Null for other
 * headers, and for a challenge that would take minutes.
 */
function readChallenge(header: string): Challenge | null {
  const [version, easiness = '', , token = ''] = header.split(':')
  const level = Number(easiness)
  if (version !== '1' || !Number.isInteger(level) || level < 0 || level > 255) return null
  const bytes = fromBase64(token)
  if (bytes.length === 0 || bytes.length > TOKEN_BYTES) return null
  const slot = Buffer.concat([bytes, Buffer.alloc(TOKEN_BYTES - bytes.length)])
  const threshold = ((level & 63) * 2 + 1) * 2 ** ((level >> 6) * 7 + 3)
  return threshold < 2 ** 20 ? null : { threshold, token, slot }
}

/**
 * The header that answers a challenge: a prefix with which the SHA-256 of it and the repeated token is small enough. Each attempt
 * hashes 12 MB, outside of the main thread. Null for a challenge that is not accepted.
 */
export async function solveHashcash(header: string, signal: AbortSignal): Promise<string | null> {
  const challenge = readChallenge(header)
  if (!challenge) return null
  const input = Buffer.alloc(PREFIX_BYTES + COPIES * TOKEN_BYTES)
  input.fill(challenge.slot, PREFIX_BYTES)
  for (let prefix = 0; prefix < 2 ** 32; prefix += 1) {
    signal.throwIfAborted()
    input.writeUInt32LE(prefix, 0)
    const digest = Buffer.from(await subtle.digest('SHA-256', input))
    if (digest.readUInt32BE(0) <= challenge.threshold) {
      return `1:${challenge.token}:${toBase64(input.subarray(0, PREFIX_BYTES))}`
    }
  }
  return null
}
