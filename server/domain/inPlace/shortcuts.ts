import type { Pool } from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Call, EntryRef } from '../../providers/driver.ts'
import { nothingWhen, ProviderError } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import { ContentUnavailableError } from '../errors.ts'
import { reasonOfError } from '../files/content/findContent.ts'
import type { Viewer } from '../viewer.ts'

/**
 * What a shortcut points to. SHOWN: `targetId` is its entry here. ELSEWHERE: it exists, but is not shown here, for example because it is
 * in a shared drive that was not chosen; `webUrl` opens it. BROKEN: it was deleted, or the account has no access any more.
 */
export type Shortcut = {
  readonly state: 'SHOWN' | 'ELSEWHERE' | 'BROKEN'
  readonly targetId: string | null
  readonly webUrl: string | null
  /** A sentence about it, unless it is SHOWN. */
  readonly message: string | null
}

type Deps = { readonly pool: Pool; readonly openDriver: OpenDriver }

type Row = {
  readonly name: string
  readonly accountId: string
  readonly accountName: string
  readonly target: string | null
  readonly targetId: string | null
}

/** The entry in the same account that table alias `e` points to, while it is shown. */
export const TARGET_ID = `(select t.file_id from account_entries t join files g on g.id = t.file_id
  where t.account_id = e.account_id and t.ref = e.target and t.gone_at is null and g.purged_at is null and g.trash_root_id is null)`

const SHORTCUT = `select f.name, a.id as "accountId", a.name as "accountName", e.target, ${TARGET_ID} as "targetId"
  from account_entries e join files f on f.id = e.file_id join accounts a on a.id = e.account_id
  where e.file_id = $2 and f.user_id = $1 and e.native_kind = 'SHORTCUT' and f.purged_at is null`

const TIMEOUT_MS = 20_000

/**
 * Asks the account only about what is not shown here.
 * @returns null for what is no shortcut
 * @throws ContentUnavailableError if the account cannot be asked
 */
export async function findShortcut(deps: Deps, { userId }: Viewer, fileId: string): Promise<Shortcut | null> {
  const { rows } = await deps.pool.query<Row>(SHORTCUT, [userId, fileId])
  const [row] = rows
  if (!row) return null
  const { name, accountName, target, targetId } = row
  if (targetId !== null) return { state: 'SHOWN', targetId, webUrl: null, message: null }
  const entry = target === null ? null : await stat(deps, row, target as EntryRef)
  if (entry) {
    const message = `“${name}” points to “${entry.name}”, which is not shown here. It can be opened at its provider.`
    return { state: 'ELSEWHERE', targetId: null, webUrl: entry.details?.webUrl ?? null, message }
  }
  const message = `“${name}” points to something that was deleted, or that “${accountName}” cannot see any more.`
  return { state: 'BROKEN', targetId: null, webUrl: null, message }
}

async function stat({ openDriver }: Deps, { name, accountId, accountName }: Row, target: EntryRef) {
  const call: Call = { signal: AbortSignal.timeout(TIMEOUT_MS), requestId: newId(), lastChance: true }
  try {
    const driver = await openDriver(accountId)
    return await driver.stat(call, target).catch(nothingWhen('NotFound'))
  } catch (error) {
    if (!(error instanceof ProviderError) && !call.signal.aborted) throw error
    const [reason = `“${accountName}” does not answer`] = reasonOfError(accountName, error)
    throw new ContentUnavailableError(`It cannot be checked what “${name}” points to: ${reason}.`, { cause: error })
  }
}
