import type { Member } from '../groupClouds/members.ts'
import type { PlannedCopy } from '../groupClouds/placement.ts'
import type { Copy, FileState } from '../services.ts'
import type { Placed } from './pools.ts'

/** How a file begins that is placed so: what the received object is already, and what is still to be sent. */
export type Layout = {
  readonly plan: Placed
  /** The copy that the received object itself becomes: a whole one on this server. Storing it is no second write. */
  readonly adopted: PlannedCopy | null
  /** Copies that transfers make of it; it is kept as a whole until then. */
  readonly sent: readonly PlannedCopy[]
  readonly state: FileState
  readonly stateReason: string | null
  readonly providers: ReadonlyMap<string, string>
}

export function layoutOf(plan: Placed, members: readonly Member[]): Layout {
  const providers = new Map(members.map(({ accountId, provider }) => [accountId, provider]))
  const isWhole = ({ pieces: [piece, ...more] }: PlannedCopy) =>
    more.length === 0 && piece !== undefined && providers.get(piece.accountId) === 'local'
  const adopted = plan.copies.find(isWhole) ?? null
  const sent = plan.copies.filter((copy) => copy !== adopted)
  return { plan, adopted, sent, providers, ...stateOf(plan, sent) }
}

function stateOf({ missingWhy }: Placed, sent: readonly PlannedCopy[]): Pick<Layout, 'state' | 'stateReason'> {
  if (sent.length > 0) return { state: 'RECEIVED', stateReason: null }
  return missingWhy === null ? { state: 'STORED', stateReason: null } : { state: 'AT_RISK', stateReason: missingWhy }
}

/** The copies as their owner sees them, in the order of the plan. `idOf` tells the ids that their rows got, at `createdAt`. */
export function copiesOf(
  { plan, adopted, providers }: Layout,
  createdAt: Date,
  idOf: (copy: PlannedCopy) => string,
): Copy[] {
  return plan.copies.map((copy) => ({
    id: idOf(copy),
    state: copy === adopted ? 'STORED' : 'STORING',
    why: copy.why,
    changedAt: null,
    checkedAt: copy === adopted ? createdAt : null,
    pieces: copy.pieces.map((piece, index) => ({
      ...piece,
      provider: providers.get(piece.accountId) ?? '',
      index,
      state: copy === adopted ? 'STORED' : 'PLANNED',
    })),
  }))
}
