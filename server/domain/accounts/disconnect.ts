import type { Pool, PoolClient } from 'pg'
import { transaction } from '../../db/transaction.ts'
import type { Sealing } from '../../lib/sealing.ts'
import type { Credentials } from '../../providers/driver.ts'
import type { Providers } from '../../providers/providers.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { Enqueue } from '../jobs.ts'
import { lockAccounts } from '../transfers/members.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { Viewer } from '../viewer.ts'
import { lockCredentials, opened } from './credentials.ts'
import type { Grants } from './grants.ts'
import { readLoss, refuseLoss } from './loss.ts'

export type DisconnectDeps = {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly providers: Providers
  readonly enqueue: Enqueue
  readonly grants: Grants
  readonly onError: (error: unknown) => void
}

type Gone = { readonly provider: string; readonly subject: string | null; readonly credentials: Credentials | null }

const FIND = `select provider, provider_account_id as subject from accounts
  where id = $1 and user_id = $2 and disconnected_at is null`

/**
 * Hides the account, erases what opens it and takes it out of all group clouds, in one transaction; then revokes at the provider.
 * @throws NotFoundError, ConflictError, FilesWouldBeLostError
 */
export async function disconnectAccount(
  deps: DisconnectDeps,
  viewer: Viewer,
  id: string,
  force: boolean,
): Promise<void> {
  const { provider, subject, credentials } = await transaction(deps.pool, (client) =>
    removeRows(deps, client, viewer, id, force),
  )
  deps.providers.close(id)
  if (credentials && subject !== null) await deps.grants.giveBack(provider, subject, credentials)
}

async function removeRows(
  deps: DisconnectDeps,
  client: PoolClient,
  viewer: Viewer,
  id: string,
  force: boolean,
): Promise<Gone> {
  const sealed = await lockCredentials(client, id)
  // All of them: what would be kept on another one must not be given up there at the same time.
  await lockAccounts(client, viewer.userId)
  const { rows } = await client.query<{ provider: string; subject: string | null }>(FIND, [id, viewer.userId])
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
  await enqueueSettle(client, deps.enqueue, { userId: viewer.userId, accountId: id })
  return { ...account, credentials: sealed && openForRevoking(deps, id, sealed) }
}

/** Whoever cannot open them can still disconnect: they are erased, only the provider is not told. */
function openForRevoking(
  { sealing, onError }: DisconnectDeps,
  id: string,
  sealed: { sealed: string; version: number },
): Credentials | null {
  try {
    return opened(sealing, id, sealed).credentials
  } catch (error) {
    onError(error)
    return null
  }
}
