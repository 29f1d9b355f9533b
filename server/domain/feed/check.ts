import type { Pool } from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { OBJECTS, recordSeen, type SeenObject, type StoredObject } from '../files/content/seenObjects.ts'
import type { ChangeDeps } from '../files/tree/change.ts'
import { PARTS } from '../transfers/rootFolders.ts'
import { judgeEntry } from './judge.ts'

/** Objects that are asked for one by one in a step. */
const STEP = 100
/** Such questions at once: people's own calls go first. */
const AT_ONCE = 2

/** A complete look at the objects of one account, in steps; one that failed is done again by the next call. */
export type Check = {
  /** @returns whether all is done. @throws ProviderError */
  step(driver: Driver, call: Call): Promise<boolean>
}

/**
 * Our folders are listed first, which settles most objects at a small cost; each one that no list shows is asked for by its ref.
 * Only that answer decides: a list that is short, late or empty takes nothing away.
 */
export function createCheck(
  deps: ChangeDeps,
  { id, homeRef }: { readonly id: string; readonly homeRef: string | null },
): Check {
  let since: string | null = null
  let folders = homeRef === null ? [] : [{ ref: homeRef as EntryRef, cursor: null as string | null, isHome: true }]

  async function listNext(driver: Driver, call: Call): Promise<void> {
    const [folder] = folders
    if (!folder) return
    const page = await driver.list(call, folder.ref, folder.cursor).catch(nothingThere)
    await sawAll(driver, page?.items ?? [])
    const parts = folder.isHome
      ? (page?.items ?? []).filter(({ kind, name }) => kind === 'folder' && name === PARTS)
      : []
    const rest = page?.cursor ? [{ ...folder, cursor: page.cursor }] : []
    folders = [...rest, ...folders.slice(1), ...parts.map(({ ref }) => ({ ref, cursor: null, isHome: false }))]
  }

  async function sawAll({ capabilities }: Driver, entries: readonly Entry[]): Promise<void> {
    const byRef = new Map(entries.map((entry) => [entry.ref as string, entry]))
    const text = `${OBJECTS} and p.object_ref = any($2::text[])`
    const { rows } = await deps.pool.query<StoredObject>(text, [id, [...byRef.keys()]])
    const seen = rows.flatMap((object): SeenObject[] => {
      const entry = byRef.get(object.ref)
      return entry ? [judgeEntry(object, entry, capabilities.hash)] : []
    })
    await record(seen)
  }

  async function record(seen: readonly SeenObject[]): Promise<void> {
    await recordSeen(deps, seen)
    await deps.pool.query('update pieces set checked_at = now() where id = any($1::uuid[])', [
      seen.map(({ object }) => object.pieceId),
    ])
  }

  /** @returns whether there are none left */
  async function askSome(driver: Driver, call: Call): Promise<boolean> {
    const text = `${OBJECTS} and (p.checked_at is null or p.checked_at < $2::timestamptz) limit ${STEP}`
    const { rows } = await deps.pool.query<StoredObject>(text, [id, since])
    const inTurn = createSemaphore(AT_ONCE)
    const seen = await Promise.allSettled(rows.map((object) => inTurn(() => ask(driver, call, object))))
    await record(seen.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
    const failed = seen.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    return rows.length < STEP
  }

  return {
    async step(driver, call) {
      since ??= await now(deps.pool)
      if (folders.length === 0) return askSome(driver, call)
      await listNext(driver, call)
      return false
    },
  }
}

/** @throws ProviderError, but for NotFound: that is an answer */
export async function ask(driver: Driver, call: Call, object: StoredObject): Promise<SeenObject> {
  try {
    // Only refs that this driver has issued are stored.
    return judgeEntry(object, await driver.stat(call, object.ref as EntryRef), driver.capabilities.hash)
  } catch (error) {
    call.signal.throwIfAborted()
    if (!(error instanceof ProviderError) || error.code !== 'NotFound') throw error
    return { object, verdict: 'GONE', ref: object.ref, path: object.path }
  }
}

function nothingThere(error: unknown): null {
  if (error instanceof ProviderError && error.code === 'NotFound') return null
  throw error
}

async function now(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>('select now()::text as now')
  return rows[0]?.now ?? ''
}
