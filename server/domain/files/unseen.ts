import type { PoolClient } from 'pg'
import { transaction } from '../../db/transaction.ts'
import type { Enqueue } from '../jobs.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { ChangeDeps } from './change.ts'
import { refreshStates, type StatesChanged, tellStates } from './states.ts'

/** What an account does not find is asked for again after so many seconds. Services show what they hold late, or not for a while. */
const LOOK_AFTER_SECONDS = [60, 300, 1_800, 10_800] as const

type OfFile = { readonly id: string; readonly userId: string }

/** Of a damaged copy nothing is noted: its pieces decide nothing any more. */
const NOTE = `update pieces p set missing_since = now() from copies c
  where p.id = $1 and p.state = 'STORED' and p.missing_since is null and c.id = p.copy_id and (c.state = 'STORED'
    or exists (select from pieces o where o.copy_id = c.id and o.missing_since is not null)) returning p.id`

/** Its account says that it has no such object: nothing follows from that until it was asked again a minute later. */
export async function markUnseen({ pool, enqueue }: ChangeDeps, pieceId: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(NOTE, [pieceId])
    if (rowCount === 1) await lookAgain(tx, enqueue, { pieceId, look: 0 })
  })
}

/** Queues the look of that number; after the last one only readers look. */
export async function lookAgain(
  tx: PoolClient,
  enqueue: Enqueue,
  input: { readonly pieceId: string; readonly look: number },
): Promise<void> {
  const delaySeconds = LOOK_AFTER_SECONDS[input.look]
  if (delaySeconds === undefined) return
  await enqueue(tx, 'seekObject', input, { key: `seek ${input.pieceId}`, delaySeconds })
}

const FORGET = `update pieces set missing_since = null where id = $1 and missing_since is not null returning copy_id`
const HEAL = `update copies c set state = 'STORED' where id = $1 and state = 'MISSING'
  and not exists (select from pieces p where p.copy_id = c.id and p.missing_since is not null)`

/** It is there: a copy that counted as lost for its sake counts again. */
export async function markSeen(deps: ChangeDeps, file: OfFile, pieceId: string): Promise<void> {
  await changeOf(deps, file, async (tx) => {
    const { rows } = await tx.query<{ copy_id: string }>(FORGET, [pieceId])
    const [found] = rows
    return found !== undefined && (await tx.query(HEAL, [found.copy_id])).rowCount === 1
  })
}

/** By the clock of the database: no other one decides over a file. */
const LOSE = `update copies c set state = 'MISSING' from pieces p
  where p.id = $1 and c.id = p.copy_id and c.state = 'STORED' and p.missing_since <= now() - interval '60 seconds'`

/** It was not there for a minute: the copy counts as lost until it is seen again. */
export async function markLost(deps: ChangeDeps, file: OfFile, pieceId: string): Promise<void> {
  await changeOf(deps, file, async (tx) => (await tx.query(LOSE, [pieceId])).rowCount === 1)
}

/** `work` says whether a copy has changed; then state and repair of its file follow. */
async function changeOf(
  { pool, events, enqueue }: ChangeDeps,
  { id, userId }: OfFile,
  work: (tx: PoolClient) => Promise<boolean>,
): Promise<void> {
  const changes = await transaction(pool, async (tx): Promise<StatesChanged[]> => {
    await tx.query('select from files where id = $1 for no key update', [id])
    if (!(await work(tx))) return []
    await enqueueSettle(tx, enqueue, { userId, fileIds: [id] })
    return refreshStates(tx, { fileIds: [id] })
  })
  tellStates(events, changes)
}
