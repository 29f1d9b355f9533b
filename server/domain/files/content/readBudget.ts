/** Memory limits for downloads from providers: for all together, and for each. */
export type BudgetLimits = { readonly totalBytes: number; readonly eachBytes: number }

/** The share of one download. */
export type Allowance = {
  /**
   * Allocates memory for the block at a position, once it is available and the reader has reached `from`: lowest
   * position first, and at once for the block that the reader waits for. Null after `leave`.
   */
  take(position: number, bytes: number, from: number): Promise<Buffer | null>
  give(buffer: Buffer): void
  /** The reader waits for the block at this position. */
  wantNow(position: number): void
  /** Ends all waiting; allocated buffers must still be given back. */
  leave(): void
}

export type ReadBudget = {
  join(): Allowance
  /** Bytes held now by all downloads. */
  heldBytes(): number
}

const MIB = 2 ** 20
export const READ_LIMITS: BudgetLimits = { totalBytes: 48 * MIB, eachBytes: 16 * MIB }

/** Allocating memory costs more than filling it, so up to this many buffers are reused. */
const MOST_SPARE = 16

type Waiting = {
  readonly position: number
  readonly bytes: number
  readonly from: number
  readonly resolve: (buffer: Buffer | null) => void
}
type Member = { held: number; wanted: number; left: boolean; waiting: Waiting[] }

/**
 * Limits the memory of downloads. A download always gets the one block that its reader waits for, even beyond the
 * limits: slow readers that hold all memory cannot stop the others.
 */
export function createReadBudget({ totalBytes, eachBytes }: BudgetLimits = READ_LIMITS): ReadBudget {
  const members = new Set<Member>()
  const spare: Buffer[] = []
  let held = 0

  function allocate(bytes: number): Buffer {
    const at = spare.findIndex((buffer) => buffer.length === bytes)
    const [reused] = at === -1 ? [] : spare.splice(at, 1)
    return reused ?? Buffer.allocUnsafeSlow(bytes)
  }

  function fits(member: Member, bytes: number): boolean {
    return member.held + bytes <= eachBytes && held + bytes <= totalBytes
  }

  function grant(member: Member): void {
    for (const next of [...member.waiting]) {
      if (next.position !== member.wanted) {
        if (member.wanted < next.from) continue
        if (!fits(member, next.bytes)) return
      }
      member.waiting.splice(member.waiting.indexOf(next), 1)
      member.held += next.bytes
      held += next.bytes
      next.resolve(allocate(next.bytes))
    }
  }

  function leave(member: Member): void {
    member.left = true
    members.delete(member)
    for (const { resolve } of member.waiting.splice(0)) resolve(null)
  }

  function take(member: Member, position: number, bytes: number, from: number): Promise<Buffer | null> {
    if (member.left) return Promise.resolve(null)
    return new Promise((resolve) => {
      const after = member.waiting.findIndex((other) => other.position > position)
      member.waiting.splice(after === -1 ? member.waiting.length : after, 0, { position, bytes, from, resolve })
      grant(member)
    })
  }

  return {
    heldBytes: () => held,
    join() {
      const member: Member = { held: 0, wanted: -1, left: false, waiting: [] }
      members.add(member)
      return {
        take: (position, bytes, from) => take(member, position, bytes, from),
        give(buffer) {
          member.held -= buffer.length
          held -= buffer.length
          if (spare.length < MOST_SPARE) spare.push(buffer)
          for (const other of members) grant(other)
        },
        wantNow(position) {
          member.wanted = position
          grant(member)
        },
        leave: () => leave(member),
      }
    },
  }
}
