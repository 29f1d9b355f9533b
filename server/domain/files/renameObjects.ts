import type { ClientBase } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Enqueue } from '../jobs.ts'
import { objectName } from '../transfers/objectNames.ts'
import type { RemoveObjectsDeps } from './removeObjects.ts'
import { isSame } from './seenObjects.ts'

export type RenameObjectsDeps = Pick<RemoveObjectsDeps, 'pool' | 'openDriver' | 'report'>

/** Names that are tried: its own, and with a marker where another object has that. */
const MOST_NAMES = 5

type Whole = {
  readonly pieceId: string
  readonly copyId: string
  readonly accountId: string
  readonly fileName: string
  readonly ref: string
  readonly size: number
  readonly hash: string | null
}

/** Objects that hold a file as a whole: these have its name, parts have names of their own. */
const WHOLE = `from files f join copies c on c.file_id = f.id and c.state = 'STORED' join pieces p on p.copy_id = c.id
    join accounts a on a.id = p.account_id and a.provider <> 'local' and a.disconnected_at is null
  where p.state = 'STORED' and p.object_ref is not null and f.purged_at is null
    and not exists (select from pieces o where o.copy_id = c.id and o.id <> p.id)`

/** Queues what follows when files got other names: only where an account shows them. */
export async function enqueueRenames(tx: ClientBase, enqueue: Enqueue, fileIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(`select distinct f.id ${WHOLE} and f.id = any($1::uuid[])`, [fileIds])
  for (const { id } of rows) await enqueue(tx, 'renameObjects', { fileId: id }, { key: `rename ${id}` })
}

/**
 * Gives the objects of a file its name in their accounts. What somebody changed there is left alone.
 * @throws ProviderError, after all were tried, when a later try may succeed
 */
export async function renameObjects(deps: RenameObjectsDeps, fileId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<Whole>(
    `select p.id as "pieceId", c.id as "copyId", p.account_id as "accountId", f.name as "fileName", p.object_ref as ref,
       p.size::float8 as size, p.hash ${WHOLE} and f.id = $1`,
    [fileId],
  )
  let failed: ProviderError | null = null
  for (const whole of rows) {
    try {
      await renameOne(deps, whole, { signal, requestId: newId() })
      deps.report.worked(whole.accountId)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError)) throw error
      deps.report.failed(whole.accountId, error)
      if (!ANSWERED.has(error.code)) failed = error
    }
  }
  if (failed) throw failed
}

/** Nothing that trying again would change: it is gone, or its service takes no such name. */
const ANSWERED: ReadonlySet<string> = new Set(['NotFound', 'BadName', 'Conflict', 'Forbidden', 'Permanent'])

async function renameOne({ pool, openDriver }: RenameObjectsDeps, whole: Whole, call: Call): Promise<void> {
  const driver = await openDriver(whole.accountId)
  // Only refs that this driver has issued are stored.
  const entry = await driver.stat(call, whole.ref as EntryRef)
  if (!driver.move || !isSame(whole, entry, driver.capabilities.hash) || hasName(whole, entry, driver)) return
  const moved = await moveTo(driver.move, namesFor(whole, driver), call, entry.ref)
  await pool.query('update pieces set object_ref = $3, object_path = $4 where id = $1 and object_ref = $2', [
    whole.pieceId,
    whole.ref,
    moved.ref,
    moved.path ?? null,
  ])
}

function namesFor({ fileName, copyId, pieceId }: Whole, { capabilities }: Driver): string[] {
  const named = { fileName, copyId, pieceId, index: 0, spanned: false }
  return Array.from({ length: MOST_NAMES }, (_, attempt) => objectName(named, attempt, capabilities))
}

/** Also one that differs only by case, where the service sees no difference; and one that says nothing, as its own was refused. */
function hasName(whole: Whole, { name }: Entry, driver: Driver): boolean {
  const key = (text: string) => (driver.capabilities.caseSensitive ? text : text.toLowerCase())
  return name.startsWith(whole.copyId) || namesFor(whole, driver).some((wanted) => key(wanted) === key(name))
}

async function moveTo(
  move: NonNullable<Driver['move']>,
  names: readonly string[],
  call: Call,
  ref: EntryRef,
): Promise<Entry> {
  const [name = '', ...others] = names
  try {
    return await move(call, ref, { name })
  } catch (error) {
    call.signal.throwIfAborted()
    if (others.length === 0 || !(error instanceof ProviderError) || error.code !== 'Conflict') throw error
    return moveTo(move, others, call, ref)
  }
}
