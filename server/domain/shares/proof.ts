import type { Sealing } from '../../lib/sealing.ts'

const PURPOSE = 'share proof'
const LIFE_SECONDS = 12 * 60 * 60

export type Proofs = {
  /** For whoever gave the right password; `now` in seconds of the database clock. */
  give(share: Proven, now: number): string
  /** Whether it was given for this share, under its present password, less than 12 hours ago. */
  holds(share: Proven, now: number, proof: string | null): boolean
  /** By which name the guesses of a visitor are counted who has given the present password before, however long ago; null for all others. */
  visitorOf(share: Proven, proof: string | null): string | null
}

type Proven = { readonly id: string; readonly passwordHash: string | null }

/** A proof is `<end in seconds>.<signature>`; the password's hash is part of what is signed, so a new password ends it. */
export function createProofs(sealing: Pick<Sealing, 'sign' | 'isSigned'>): Proofs {
  const textOf = ({ id, passwordHash }: Proven, end: string) => JSON.stringify([id, passwordHash, end])
  const read = (share: Proven, proof: string | null) => {
    const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(proof ?? '') ?? []
    if (end === undefined || signature === undefined) return null
    return sealing.isSigned(textOf(share, end), PURPOSE, signature) ? { end: Number(end), signature } : null
  }
  return {
    give(share, now) {
      const end = String(Math.floor(now) + LIFE_SECONDS)
      return `${end}.${sealing.sign(textOf(share, end), PURPOSE)}`
    },
    holds(share, now, proof) {
      const found = read(share, proof)
      return found !== null && found.end > now
    },
    visitorOf: (share, proof) => read(share, proof)?.signature.slice(0, 16) ?? null,
  }
}
