import type { Pool } from 'pg'
import type { Call, Driver, EntryRef } from '../../providers/driver.ts'

const HOME = 'Skypool'
export const PARTS = 'Parts'

type Account = { readonly accountId: string; readonly homeRef: string | null }

export type RootFolders = {
  /** The folder for an object: of whole files, or of parts. Made when it is absent. */
  folder(driver: Driver, call: Call, account: Account, kind: 'whole' | 'part'): Promise<EntryRef>
  /** It is gone at the provider: the next question makes it anew. */
  forget(accountId: string): Promise<void>
}

/** Our folders on each account: one question at a time, so that none is made twice. */
export function createRootFolders(pool: Pool): RootFolders {
  const rootFolders = new Map<string, Promise<EntryRef>>()
  const parts = new Map<string, Promise<EntryRef>>()

  const homeOf = (driver: Driver, call: Call, { accountId, homeRef }: Account) =>
    once(rootFolders, accountId, async () => {
      if (homeRef !== null) return homeRef as EntryRef
      const made = await driver.ensureFolder(call, driver.root, HOME)
      await pool.query('update accounts set home_ref = $2 where id = $1 and home_ref is distinct from $2', [
        accountId,
        made,
      ])
      return made
    })

  return {
    async folder(driver, call, account, kind) {
      const home = await homeOf(driver, call, account)
      if (kind === 'whole') return home
      return once(parts, account.accountId, () => driver.ensureFolder(call, home, PARTS))
    },
    async forget(accountId) {
      rootFolders.delete(accountId)
      parts.delete(accountId)
      await pool.query('update accounts set home_ref = null where id = $1', [accountId])
    },
  }
}

/** A failure is not remembered. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, ask: () => Promise<Value>): Promise<Value> {
  const asked = known.get(key) ?? ask()
  known.set(key, asked)
  asked.catch(() => known.delete(key))
  return asked
}
