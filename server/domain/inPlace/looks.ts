import { createSemaphore } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import type { AccountHealth } from '../accounts/health.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import type { OpenedFolder } from '../files/tree/listing.ts'
import { createIndexer } from './indexer.ts'

/** A folder that was listed within this time is not listed again. */
const LOOK_EVERY_S = 10
/** Lists at once, in this process. */
const CONCURRENCY = 4
/** Folders that wait. What is opened beyond that shows what the last listing found. */
const MOST_WAITING = 100
const TIMEOUT_MS = 60_000
/** How long it is remembered that an account is followed by its feed. */
const FOLLOWED_MS = 60_000

/** Folders of accounts whose providers report no changes are listed again when they are opened. */
export type FolderLooks = {
  /** Returns at once: what the list finds is published as a change. */
  opened(folder: OpenedFolder): void
  /** Resolves when no list is running. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

type Deps = ChangeDeps & {
  readonly openDriver: OpenDriver
  readonly report: Pick<AccountHealth, 'failed' | 'worked'>
  readonly onError: (error: unknown) => void
}

type Opened = {
  readonly accountId: string
  readonly ref: EntryRef | null
  readonly walked: boolean
  readonly isDue: boolean
}

const OPENED = `select i.account_id as "accountId", case when f.id = i.root_file_id then i.root_ref else e.ref end as ref,
    i.walked and a.status = 'CONNECTED' and a.disconnected_at is null and a.unreachable_since is null as walked,
    coalesce(case when f.id = i.root_file_id then i.looked_at else e.looked_at end, '-infinity')
      not between now() - make_interval(secs => ${LOOK_EVERY_S}) and now() as "isDue"
  from files f join account_indexes i on i.account_id = f.account_id join accounts a on a.id = i.account_id
    left join account_entries e on e.file_id = f.id
  where f.id = $1 and f.user_id = $2 and f.kind = 'FOLDER' and f.purged_at is null and f.trash_root_id is null`

const LOOKED = `with entry as (update account_entries set looked_at = now() where file_id = $1)
  update account_indexes set looked_at = now() where root_file_id = $1`

export function createFolderLooks(deps: Deps): FolderLooks {
  const { pool, events, report, onError } = deps
  const indexer = createIndexer(deps)
  const inTurn = createSemaphore(CONCURRENCY)
  const closing = new AbortController()
  const running = new Map<string, Promise<void>>()
  const followed = new Map<string, number>()

  const callOf = (): Call => ({
    signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    requestId: newId(),
  })

  async function look({ userId, folderId }: OpenedFolder): Promise<void> {
    if (closing.signal.aborted) return
    const { rows } = await pool.query<Opened>({ name: 'in place opened', text: OPENED, values: [folderId, userId] })
    const [folder] = rows
    if (folder && !folder.walked) followed.set(folder.accountId, Date.now() + FOLLOWED_MS)
    if (!folder?.walked || !folder.isDue || folder.ref === null) return
    const { accountId, ref } = folder
    try {
      const driver = await deps.openDriver(accountId)
      if (!(await indexer.look(accountId, driver, { fileId: folderId, ref }, callOf))) return
      report.worked(accountId)
    } catch (error) {
      if (closing.signal.aborted || !(error instanceof ProviderError)) throw error
      report.failed(accountId, error)
      return
    }
    await pool.query(LOOKED, [folderId])
    events.publish('filesChanged', userId, { fileIds: [folderId], removedIds: [], parentIds: [], truncated: false })
  }

  function isFollowed(accountId: string): boolean {
    const until = followed.get(accountId)
    if (until === undefined) return false
    if (until > Date.now()) return true
    followed.delete(accountId)
    return false
  }

  return {
    opened(folder) {
      const { folderId, accountId } = folder
      if (accountId && isFollowed(accountId)) return
      if (running.has(folderId) || running.size >= MOST_WAITING || closing.signal.aborted) return
      const work = inTurn(() => look(folder))
        .catch((error: unknown) => {
          if (!closing.signal.aborted) onError(error)
        })
        .finally(() => running.delete(folderId))
      running.set(folderId, work)
    },
    async whenIdle() {
      while (running.size > 0) await Promise.all(running.values())
    },
    async close() {
      closing.abort(new Error('The server is shutting down.'))
      await Promise.all(running.values())
    },
  }
}
