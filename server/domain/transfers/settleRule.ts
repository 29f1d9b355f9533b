import type { Copy, TransferKind } from '../services.ts'

/** A copy as settling sees it. */
export type CopyFacts = {
  readonly id: string
  readonly state: Copy['state']
  /** It is read wrong again and again: it counts as lost until it is read right. */
  readonly suspect: boolean
  /** A transfer makes it, or would if it were not stopped. */
  readonly open: boolean
  /** Somebody changed the file in an account: it stays listed for as long as they may want to keep that version here. */
  readonly changed: boolean
  readonly pieceIds: readonly string[]
  /** Accounts of its pieces, each once. */
  readonly accounts: readonly {
    readonly id: string
    readonly lost: boolean
    /** Disconnected so long ago that nobody waits for it. */
    readonly gone: boolean
    readonly place: 'MEMBER' | 'DRAINING' | 'FOREIGN'
  }[]
}

export type SettleFacts = {
  readonly wanted: number
  /** The received bytes are still here. */
  readonly staged: boolean
  /** Copies that the user gave up lately. */
  readonly givenUp: number
  /** Moves and drains that the user gave up: such a copy stays where it is, and is still repaired. */
  readonly givenUpMoves: number
  /** Oldest first. */
  readonly copies: readonly CopyFacts[]
}

export type Settlement = {
  readonly drop: readonly CopyFacts[]
  /** How many copies to plan, and on which accounts none of them may be. */
  readonly plan: { readonly count: number; readonly kind: TransferKind; readonly exclude: ReadonlySet<string> } | null
}

/**
 * What brings a file to what its group cloud asks for. Something is dropped only when enough copies can be read where they
 * should be; what is on accounts that are lost for now stays, for it heals when they are back.
 */
export function settle({ wanted, staged, givenUp, givenUpMoves, copies }: SettleFacts): Settlement {
  const readable = copies.filter(
    (copy) => copy.state === 'STORED' && !copy.suspect && copy.accounts.every(({ lost }) => !lost),
  )
  const good = readable.filter(isHome)
  if (good.length >= wanted) return { drop: surplus(copies, good, wanted), plan: null }
  const open = copies.filter((copy) => copy.state === 'STORING' && copy.open)
  const kind = kindOf(readable)
  const isMove = kind === 'MOVE' || kind === 'DRAIN'
  const count = wanted - good.length - open.length - givenUp - (isMove ? givenUpMoves : 0)
  if (count <= 0 || (!staged && readable.length === 0)) return { drop: [], plan: null }
  const exclude = new Set([...good, ...open].flatMap(({ accounts }) => accounts.map(({ id }) => id)))
  return { drop: [], plan: { count, kind, exclude } }
}

function isHome({ accounts }: CopyFacts): boolean {
  return accounts.every(({ place }) => place === 'MEMBER')
}

function kindOf(readable: readonly CopyFacts[]): TransferKind {
  const places = new Set(readable.flatMap(({ accounts }) => accounts.map(({ place }) => place)))
  if (readable.length === 0) return 'STORE'
  if (places.has('FOREIGN')) return 'MOVE'
  return places.has('DRAINING') ? 'DRAIN' : 'REPAIR'
}

/** All but the oldest good ones, and what may heal. */
function surplus(copies: readonly CopyFacts[], good: readonly CopyFacts[], wanted: number): CopyFacts[] {
  const kept = new Set(good.slice(0, wanted))
  const mayHeal = ({ state, accounts }: CopyFacts) =>
    state === 'STORED' && accounts.some(({ lost }) => lost) && !accounts.some(({ gone }) => gone)
  const isOffered = (copy: CopyFacts) => copy.changed && isHome(copy) && !copy.accounts.some(({ gone }) => gone)
  return copies.filter((copy) => !kept.has(copy) && !mayHeal(copy) && !isOffered(copy))
}
