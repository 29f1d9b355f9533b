import type { ClientBase, Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Credentials } from '../../providers/driver.ts'
import type { Providers } from '../../providers/providers.ts'
import { ConflictError, FilesWouldBeLostError, NotFoundError } from '../errors.ts'
import { CONTENT_IN_PLACE } from '../files/content/hashes.ts'
import { presentSql } from '../files/content/states.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { dropAccountFolder } from '../files/tree/folders.ts'
import { type Enqueue, enqueueReconcile, type LeaveProtection } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import type { LossPreview } from './contract.ts'
import { decryptCredentials, lockCredentials } from './credentials.ts'
import type { Grants } from './grants.ts'

/** A file in the account is protected when the newest version is readable elsewhere, by the same rule. Shortcuts are no files. */
const IN_PLACE = {
  name: 'account-loss-in-place',
  text: `select count(*) filter (where not safe)::int as "inPlaceLost", count(*) filter (where safe)::int as "inPlaceProtected",
      coalesce(sum(size) filter (where not safe), 0)::float8 as "inPlaceLostBytes"
    from (
      select f.size, c.id is not null and (c.staged_ref is not null or c.size = 0 or exists (
          select from copies o where o.file_id = c.id and o.state = 'STORED' and (
            select bool_and(p.account_id <> $1 and p.state = 'STORED' and ${presentSql('a')})
            from pieces p join accounts a on a.id = p.account_id where p.copy_id = o.id))) as safe
      from account_entries e join files f on f.id = e.file_id
        left join protected_versions v on v.file_id = f.id and v.ended_at is null and v.version = ${CONTENT_IN_PLACE}
        left join files c on c.id = v.content_id and c.purged_at is null
      where e.account_id = $1 and e.gone_at is null and f.kind = 'FILE' and f.purged_at is null
        and e.native_kind is distinct from 'SHORTCUT') judged`,
}

/** A copy that protects a file counts when the account of that file cannot be used: then it is the file. A file is kept when its content is still on this server, or when a complete copy is on other accounts that can be read now. */
const PREVIEW = {
  name: 'account-loss',
  text: `with held as materialized (
      select distinct c.file_id from pieces p join copies c on c.id = p.copy_id
      where p.account_id = $1 and p.state = 'STORED' and c.state = 'STORED'),
    judged as (
      select f.size, f.staged_ref is not null or exists (
          select from copies c where c.file_id = f.id and c.state = 'STORED' and (
            select bool_and(p.account_id <> $1 and p.state = 'STORED' and ${presentSql('a')})
            from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id)) as kept
      from held join files f on f.id = held.file_id where f.purged_at is null and (f.protected_account_id is null
        or exists (select from protected_versions v join accounts a on a.id = v.account_id
          where v.content_id = f.id and v.ended_at is null and not ${presentSql('a')})))
    select count(*) filter (where not kept)::int as "lostFiles", count(*) filter (where kept)::int as "keptFiles",
      coalesce(sum(size) filter (where not kept), 0)::float8 as "lostBytes"
    from judged`,
}

export async function readLoss(sql: Pool | ClientBase, accountId: string): Promise<LossPreview> {
  const { rows } = await sql.query<LossPreview>({ ...PREVIEW, values: [accountId] })
  const inPlace = await sql.query<LossPreview>({ ...IN_PLACE, values: [accountId] })
  const none = { lostFiles: 0, lostBytes: 0, keptFiles: 0, inPlaceLost: 0, inPlaceLostBytes: 0, inPlaceProtected: 0 }
  return { ...none, ...rows[0], ...inPlace.rows[0] }
}

const AT_RISK = `select p.account_id as id, count(distinct f.id)::int as files
  from files f join copies c on c.file_id = f.id join pieces p on p.copy_id = c.id
  where f.user_id = $1 and f.state = 'AT_RISK' and f.purged_at is null and f.protected_account_id is null and not f.is_version and p.account_id = any($2::uuid[])
  group by p.account_id`

/** Number of files at risk by account id; without accounts that have none. */
export async function countAtRisk(
  sql: Pool,
  { userId }: Viewer,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ id: string; files: number }>(AT_RISK, [userId, accountIds])
  return new Map(rows.map(({ id, files }) => [id, files]))
}

/** @throws FilesWouldBeLostError unless nothing would be lost */
function refuseLoss({ lostFiles, lostBytes }: LossPreview): void {
  if (lostFiles === 0) return
  const files = lostFiles === 1 ? 'The only copy of one file is' : `The only copies of ${lostFiles} files are`
  const message = `${files} on this account (${formatBytes(lostBytes)}). Move them first, or disconnect it anyway.`
  throw new FilesWouldBeLostError(lostFiles, lostBytes, message)
}

export type DisconnectDeps = {
  readonly pool: Pool
  readonly encryption: Encryption
  readonly providers: Providers
  readonly enqueue: Enqueue
  readonly grants: Grants
  readonly leaveProtection?: LeaveProtection
  readonly onError: (error: unknown) => void
}

type Found = { readonly provider: string; readonly subject: string | null; readonly email: string | null }
type Disconnected = Found & {
  readonly credentials: Credentials | null
  readonly folderId: string | null
}

const FIND = `select provider, provider_account_id as subject, email from accounts
  where id = $1 and user_id = $2 and disconnected_at is null`

/**
 * Hides the account, deletes its credentials and removes it from all group clouds, in one transaction; then revokes the grant at
 * the provider.
 * @returns the id of the folder that has shown the account, if any
 * @throws NotFoundError, ConflictError, FilesWouldBeLostError
 */
export async function disconnectAccount(
  deps: DisconnectDeps,
  viewer: Viewer,
  id: string,
  force: boolean,
  keepProtected: boolean,
): Promise<string | null> {
  // Retried: what is kept may take names that others take at the same time.
  const { provider, subject, email, credentials, folderId } = await retryConflicts(() =>
    transaction(deps.pool, (client) => removeRows(deps, client, viewer, id, force, keepProtected)),
  )
  deps.providers.close(id)
  if (credentials && subject !== null) await deps.grants.revoke(provider, { subject, email }, credentials)
  return folderId
}

async function removeRows(
  deps: DisconnectDeps,
  client: PoolClient,
  viewer: Viewer,
  id: string,
  force: boolean,
  keepProtected: boolean,
): Promise<Disconnected> {
  const row = await lockCredentials(client, id)
  // All accounts: a copy that this preview counts as kept must not be removed from another account at the same time.
  await lockAccounts({ tx: client, userId: viewer.userId })
  const { rows } = await client.query<Found>(FIND, [id, viewer.userId])
  const account = rows[0]
  if (!account) throw new NotFoundError()
  if (account.provider === 'local') throw new ConflictError('The storage of this server cannot be disconnected.')
  if (!force) refuseLoss(await readLoss(client, id))
  await client.query(
    `update accounts set disconnected_at = now(), unreachable_since = null, updated_at = now() where id = $1`,
    [id],
  )
  await client.query('delete from account_credentials where account_id = $1', [id])
  await client.query('delete from oauth_states where account_id = $1', [id])
  await client.query('delete from group_cloud_members where account_id = $1', [id])
  await deps.leaveProtection?.(client, deps.enqueue, { userId: viewer.userId, accountId: id, keep: keepProtected })
  const change = { tx: client, userId: viewer.userId, enqueue: deps.enqueue }
  const folderId = await dropAccountFolder(change, id)
  if (folderId !== null) {
    await deps.enqueue(client, 'forgetEntries', { accountId: id }, { key: `forget ${id}` })
  }
  await enqueueReconcile(client, deps.enqueue, { userId: viewer.userId, accountId: id })
  return { ...account, folderId, credentials: row && decryptForRevoking(deps, id, row) }
}

/** Null when they cannot be decrypted: the account is disconnected without revoking the grant. */
function decryptForRevoking(
  { encryption, onError }: DisconnectDeps,
  id: string,
  row: { sealed: string; version: number },
): Credentials | null {
  try {
    return decryptCredentials(encryption, id, row).credentials
  } catch (error) {
    onError(error)
    return null
  }
}

export type LeaveAllDeps = {
  readonly pool: Pool
  readonly encryption: Encryption
  readonly providers: Providers
  readonly grants: Grants
  readonly onError: (error: unknown) => void
}

type Row = {
  readonly id: string
  readonly provider: string
  readonly subject: string | null
  readonly email: string | null
  readonly sealed: string
  readonly version: number
}

const WITH_CREDENTIALS = `select a.id, a.provider, a.provider_account_id as subject, a.email, c.sealed, c.version
  from accounts a join account_credentials c on c.account_id = a.id where a.user_id = $1 order by a.id`

/**
 * Disconnects all accounts of a deleted user: revokes each grant at the provider, then deletes the credentials. In this order, so
 * that a crash between the two revokes twice instead of never. Files stay at the providers.
 */
export async function leaveAccounts(deps: LeaveAllDeps, userId: string, signal: AbortSignal): Promise<void> {
  const { pool, providers } = deps
  await pool.query(
    `update accounts set disconnected_at = now(), unreachable_since = null
     where user_id = $1 and provider <> 'local' and disconnected_at is null`,
    [userId],
  )
  await pool.query('delete from account_indexes i using accounts a where a.id = i.account_id and a.user_id = $1', [
    userId,
  ])
  const { rows } = await pool.query<Row>(WITH_CREDENTIALS, [userId])
  for (const row of rows) {
    signal.throwIfAborted()
    await revoke(deps, row)
    await pool.query('delete from account_credentials where account_id = $1', [row.id])
    providers.close(row.id)
  }
}

/** Credentials that cannot be decrypted are deleted without revoking. */
async function revoke({ encryption, grants, onError }: LeaveAllDeps, row: Row): Promise<void> {
  if (row.subject === null) return
  try {
    const { provider, subject, email } = row
    await grants.revoke(provider, { subject, email }, decryptCredentials(encryption, row.id, row).credentials)
  } catch (error) {
    onError(error)
  }
}
