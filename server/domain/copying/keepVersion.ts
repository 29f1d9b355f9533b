import { Readable } from 'node:stream'
import { createContentHash } from '../../lib/contentHash.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { ConflictError, ContentUnavailableError, NotFoundError } from '../errors.ts'
import type { File } from '../files/contract.ts'
import { lockAccounts } from '../files/tree/change.ts'
import { enqueueReconcile } from '../jobs.ts'
import { changeCopies } from '../transfers/changeCopies.ts'
import type { RowDeps } from '../transfers/deps.ts'
import { dropCopies } from '../transfers/reconcile.ts'
import type { UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'

export type KeepVersionDeps = RowDeps & {
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly receive: UploadsService['receive']
}

type Changed = {
  readonly fileId: string
  readonly parentId: string | null
  readonly groupCloudId: string | null
  readonly accountId: string
  readonly accountName: string
  readonly ref: string
  readonly pieces: number
  readonly changed: boolean
}

const FIND = `select f.id as "fileId", f.parent_id as "parentId", f.group_cloud_id as "groupCloudId", p.account_id as "accountId",
    a.name as "accountName", p.object_ref as ref, p.changed_at is not null as changed,
    (select count(*)::int from pieces o where o.copy_id = c.id) as pieces
  from copies c join files f on f.id = c.file_id join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
  where c.id = $2 and f.user_id = $1 and f.purged_at is null and a.disconnected_at is null order by p.changed_at limit 1`

/** Stores the version in the account as a new file with its name there, like an upload. @throws as FilesService.keepVersion */
export async function keepVersion(deps: KeepVersionDeps, viewer: Viewer, copyId: string): Promise<File> {
  const { rows } = await deps.pool.query<Changed>(FIND, [viewer.userId, copyId])
  const [copy] = rows
  if (!copy) throw new NotFoundError()
  if (!copy.changed) throw new ConflictError('This copy was not changed in its account.')
  if (copy.pieces > 1) {
    throw new ConflictError('This copy is stored in several pieces. The changed one is not a file by itself.')
  }
  const file = await receiveVersion(deps, viewer, copy)
  await dropOffered(deps, viewer, copyId, copy.fileId)
  return file
}

async function receiveVersion(deps: KeepVersionDeps, viewer: Viewer, copy: Changed): Promise<File> {
  const ending = new AbortController()
  const call = { signal: ending.signal, requestId: newId() }
  const { driver, entry } = await find(deps, copy, call)
  const { name, size } = entry
  let failure: unknown
  const body = Readable.from(read(driver, call, entry), { objectMode: false })
  body.once('error', (error) => {
    failure = error
  })
  try {
    const { parentId, groupCloudId } = copy
    const placed = { parentId, groupCloudId: groupCloudId ?? undefined, onConflict: 'RENAME' } as const
    return await deps.receive(viewer, { name, size, ...placed }, body)
  } catch (error) {
    throw failure === undefined ? error : unavailable(copy, failure)
  } finally {
    body.destroy()
    ending.abort()
  }
}

async function find(
  { openDriver }: KeepVersionDeps,
  copy: Changed,
  call: Call,
): Promise<{ driver: Driver; entry: Entry }> {
  try {
    const driver = await openDriver(copy.accountId)
    return { driver, entry: await driver.stat(call, copy.ref as EntryRef) }
  } catch (error) {
    throw unavailable(copy, error)
  }
}

/** Checks the bytes against the service's hash, if it has one. */
async function* read(driver: Driver, call: Call, { ref, size, hash }: Entry): AsyncGenerator<Buffer> {
  if (size === 0) return
  const sum = createContentHash(driver.capabilities.hash ?? 'sha256')
  const { body } = await driver.get(call, ref)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sum.update(chunk)
    yield chunk
  }
  if (hash !== null && sum.digest() !== hash) throw new Error('It was changed while it was read.')
}

function unavailable({ accountName }: Changed, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause
  const gone = cause instanceof ProviderError && cause.code === 'NotFound'
  const what = gone ? 'does not have it any more' : 'does not answer, or it is being changed. Please try again'
  return new ContentUnavailableError(`This version could not be read: “${accountName}” ${what}.`, { cause })
}

/** Deletes the record of the edited copy when the file has other good copies. The object stays in the account, because the user edited it. */
async function dropOffered(deps: RowDeps, { userId }: Viewer, copyId: string, fileId: string): Promise<void> {
  await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts({ tx, userId })
    await tx.query('select from files where id = $1 for update', [fileId])
    const { rows } = await tx.query<{ pieceIds: string[] }>(
      `select array_agg(p.id::text) as "pieceIds" from copies c join pieces p on p.copy_id = c.id
       where c.id = $1 and c.state = 'MISSING' and exists (
         select from copies o where o.file_id = c.file_id and o.state = 'STORED')
       group by c.id`,
      [copyId],
    )
    const [copy] = rows
    if (!copy) return
    await dropCopies(deps, change, [{ id: copyId, pieceIds: copy.pieceIds }])
    change.fileIds.add(fileId)
    await enqueueReconcile(tx, deps.enqueue, { userId, fileIds: [fileId] })
  })
  deps.events.publish('filesChanged', userId, { fileIds: [fileId], removedIds: [], parentIds: [], truncated: false })
}
