import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import type { IHasher } from 'hash-wasm'

/** What a hash of node:crypto and a savable one have in common. */
export type Sha256 = {
  update(chunk: Uint8Array): unknown
  /** Once, after the last byte. */
  digest(): Buffer
  copy(): Sha256
}

export type SavableSha256 = Omit<Sha256, 'copy'> & {
  copy(): SavableSha256
  /** Continues in any process: createSavableSha256(state). */
  state(): Buffer
}

/** One for the process: no update is interrupted by another one, so each begins with the state of its hash. */
let shared: IHasher | null = null

/**
 * Loads what savable hashes need; to be awaited before the first one. V8 optimizes it while it is compiled, in a few milliseconds: what V8's
 * other compiler makes of it is a fifteenth as fast, and main.ts turns off that it is replaced later.
 */
export async function prepareSavableSha256(): Promise<void> {
  if (shared) return
  const { createSHA256 } = await import('hash-wasm')
  setFlagsFromString('--no-liftoff')
  try {
    const hasher = await createSHA256()
    // Functions are compiled when they are called first.
    hasher.init().update(new Uint8Array(1)).digest()
    shared = hasher
  } finally {
    setFlagsFromString('--liftoff')
  }
}

function prepared(): IHasher {
  if (!shared) throw new Error('prepareSavableSha256 was not awaited.')
  return shared
}

/**
 * SHA-256 whose state can be stored, which that of node:crypto cannot: for contents that arrive in pieces at several servers. A fifth
 * of the speed of node:crypto.
 * @throws Error for a state of another version of hash-wasm
 */
export function createSavableSha256(state?: Uint8Array): SavableSha256 {
  const hasher = prepared()
  let saved: Uint8Array = state ? hasher.load(state).save() : hasher.init().save()
  return {
    update(chunk) {
      saved = hasher.load(saved).update(chunk).save()
    },
    state: () => Buffer.from(saved),
    copy: () => createSavableSha256(saved),
    digest: () => Buffer.from(hasher.load(saved).digest('binary')),
  }
}

/**
 * As createSavableSha256, at the speed of node:crypto until its state is asked for; until then it keeps the bytes in memory. For contents of a
 * few MiB, whose chunks are not changed after `update`.
 */
export function createKeepingSha256(): SavableSha256 {
  return keepingFrom(createHash('sha256'), [])
}

function keepingFrom(native: Sha256, before: readonly Uint8Array[]): SavableSha256 {
  const kept = [...before]
  let savable: SavableSha256 | null = null

  function becomeSavable(): SavableSha256 {
    const hash = createSavableSha256()
    for (const chunk of kept.splice(0)) hash.update(chunk)
    return hash
  }

  return {
    update(chunk) {
      if (savable) return savable.update(chunk)
      native.update(chunk)
      kept.push(chunk)
    },
    digest: () => (savable ?? native).digest(),
    copy: () => savable?.copy() ?? keepingFrom(native.copy(), kept),
    state() {
      savable ??= becomeSavable()
      return savable.state()
    },
  }
}
