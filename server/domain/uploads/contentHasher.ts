import { createHash, type Hash } from 'node:crypto'
import { type BlockSummer, type BlockSums, createBlockSummer } from '../files/blockSums.ts'

/** What is computed of a content while it comes. */
export type ContentHasher = {
  update(chunk: Buffer): void
  /** One that goes on from here by itself. */
  copy(): ContentHasher
  /** Once, after the last byte. `sums` null: they were not asked for. */
  finish(): { readonly sha256: Buffer; readonly sums: BlockSums | null }
}

export type HasherOptions = {
  /** null: not known beforehand. */
  readonly size: number | null
  /** Sums of its blocks too: what goes to a provider is read back by them. They cost as much again. */
  readonly withSums: boolean
}

export function createContentHasher({ size, withSums }: HasherOptions): ContentHasher {
  return hasherOf(createHash('sha256'), withSums ? createBlockSummer(size) : null)
}

function hasherOf(hash: Hash, summer: BlockSummer | null): ContentHasher {
  return {
    update(chunk) {
      hash.update(chunk)
      summer?.update(chunk)
    },
    copy: () => hasherOf(hash.copy(), summer?.copy() ?? null),
    finish: () => ({ sha256: hash.digest(), sums: summer?.result() ?? null }),
  }
}
