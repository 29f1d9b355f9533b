import { createHash, type Hash } from 'node:crypto'

/** The unit of Dropbox's content hash, and of pieces in a concurrent upload session. */
export const BLOCK_BYTES = 4 * 1024 * 1024

/** Dropbox's `content_hash`: SHA-256 over the SHA-256 of each 4 MiB block. */
export type ContentHash = {
  update(bytes: Uint8Array): void
  /** An independent hash of what was seen so far. */
  copy(): ContentHash
  /** Hex; may be asked for at any time, and changes nothing. */
  digest(): string
}

type State = { readonly whole: Hash; block: Hash; inBlock: number }

export function createContentHash(): ContentHash {
  return ofState({ whole: createHash('sha256'), block: createHash('sha256'), inBlock: 0 })
}

function ofState(state: State): ContentHash {
  return {
    update: (bytes) => update(state, bytes),
    copy: () => ofState({ whole: state.whole.copy(), block: state.block.copy(), inBlock: state.inBlock }),
    digest() {
      const whole = state.whole.copy()
      if (state.inBlock > 0) whole.update(state.block.copy().digest())
      return whole.digest('hex')
    },
  }
}

function update(state: State, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + BLOCK_BYTES - state.inBlock)
    state.block.update(part)
    state.inBlock += part.length
    at += part.length
    if (state.inBlock < BLOCK_BYTES) continue
    state.whole.update(state.block.digest())
    state.block = createHash('sha256')
    state.inBlock = 0
  }
}
