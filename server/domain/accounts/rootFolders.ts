import type { Pool } from 'pg'
import type { Call, Driver, EntryRef } from '../../providers/driver.ts'

// Skypool's own folder in each account, in which everything is that Skypool stores there.

export const ROOT_FOLDER = 'Skypool'

/**
 * PARTS: pieces of spanned files, and objects whose names the service refused. TRASH: entries in place that were moved to the trash,
 * where the service has no trash from which they could be restored.
 */
const SUBFOLDERS = { PARTS: 'Parts', TRASH: 'Trash' } as const
export const PARTS_FOLDER = SUBFOLDERS.PARTS

type Account = { readonly accountId: string; readonly rootFolderRef: string | null }

export type RootFolders = {
  /** Skypool's folder in an account (WHOLE: for whole files), or a folder in it; created if it is missing. @throws ProviderError */
  folder(driver: Driver, call: Call, account: Account, kind: 'WHOLE' | keyof typeof SUBFOLDERS): Promise<EntryRef>
  /** Called when the folder is gone at the provider: the next call of `folder` creates it again. */
  forget(accountId: string): Promise<void>
}

/** One lookup per folder at a time, so that no folder is created twice. */
export function createRootFolders(pool: Pool): RootFolders {
  const rootFolders = new Map<string, Promise<EntryRef>>()
  const subfolders = new Map<string, Promise<EntryRef>>()

  const rootOf = (driver: Driver, call: Call, { accountId, rootFolderRef }: Account) =>
    once(rootFolders, accountId, async () => {
      if (rootFolderRef !== null) return rootFolderRef as EntryRef
      const created = await driver.ensureFolder(call, driver.root, ROOT_FOLDER)
      await pool.query('update accounts set home_ref = $2 where id = $1 and home_ref is distinct from $2', [
        accountId,
        created,
      ])
      return created
    })

  return {
    async folder(driver, call, account, kind) {
      const root = await rootOf(driver, call, account)
      if (kind === 'WHOLE') return root
      const key = `${account.accountId} ${kind}`
      return once(subfolders, key, () => driver.ensureFolder(call, root, SUBFOLDERS[kind]))
    },
    async forget(accountId) {
      rootFolders.delete(accountId)
      for (const kind of Object.keys(SUBFOLDERS)) subfolders.delete(`${accountId} ${kind}`)
      await pool.query('update accounts set home_ref = null where id = $1', [accountId])
    },
  }
}

/** Shares one promise per key. A rejected one is not kept. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>): Promise<Value> {
  const loading = known.get(key) ?? load()
  known.set(key, loading)
  loading.catch(() => known.delete(key))
  return loading
}
