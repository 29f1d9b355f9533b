import type { Change, ChangePage, Driver, Entry, EntryRef, Page } from '../../../../server/providers/driver.ts'
import { ProviderError } from '../../../../server/providers/errors.ts'
import type { Spoil } from './world.ts'

/** `from`: the schedule that a search begins with; one that finds the mistake makes the search short. */
type Mistake = { readonly name: string; readonly from: number; readonly spoil: () => Spoil }

/** Mistakes that an index could make, planted between it and the account. The simulation has to find each of them. */
export const MISTAKES: readonly Mistake[] = [
  { name: 'what a failed listing does not contain is deleted', from: 0, spoil: () => deletingOnFailure },
  { name: 'a listing without its last page', from: 5, spoil: () => withoutLastPage },
  { name: 'a position in the feed from after the listing', from: 7, spoil: () => late },
  { name: 'the echo of an own change is another change', from: 1, spoil: () => echoing },
  { name: 'entries that are known by their names', from: 0, spoil: () => named },
  { name: 'changes that lose every third entry', from: 0, spoil: () => losing },
  { name: 'a moved entry that is reported where it was', from: 3, spoil: () => stale },
]

/** The same where the service reports no changes. */
export const WALK_MISTAKES: readonly Mistake[] = [
  { name: 'what a failed listing does not contain is deleted', from: 0, spoil: () => deletingOnFailure },
  { name: 'a listing without its last page', from: 1, spoil: () => withoutLastPage },
  { name: 'the echo of an own change is a new entry', from: 1, spoil: () => forgetting },
  { name: 'a list from before a change', from: 0, spoil: () => outdated },
]

const pageOf = async (driver: Driver, ...args: Parameters<NonNullable<Driver['changes']>>) =>
  (await driver.changes?.(...args)) as ChangePage
const listOf = async (driver: Driver, ...args: Parameters<NonNullable<Driver['listAll']>>) =>
  (await driver.listAll?.(...args)) as Page<Entry>

/** An error ends the listing as if it were complete, and what does not answer is taken for missing. */
function deletingOnFailure(driver: Driver): Driver {
  let hasFailed = false
  return {
    ...driver,
    listAll: async (call, cursor) => {
      if (cursor === null) hasFailed = false
      try {
        return await listOf(driver, call, cursor)
      } catch {
        hasFailed = true
        return { items: [], cursor: null }
      }
    },
    stat: async (call, ref) => {
      if (!hasFailed || ref === driver.root) return driver.stat(call, ref)
      throw new ProviderError(
        'NotFound',
        { provider: driver.kind, operation: 'stat' },
        { message: 'It was not listed.' },
      )
    },
  }
}

function withoutLastPage(driver: Driver): Driver {
  return {
    ...driver,
    listAll: async (call, cursor) => {
      const page = await listOf(driver, call, cursor)
      return cursor !== null && page.cursor === null ? { items: [], cursor: null } : page
    },
  }
}

/** What changed before the feed is read for the first time is not reported. */
function late(driver: Driver): Driver {
  let isFirst = true
  return {
    ...driver,
    changes: async (call, cursor) => {
      const from = isFirst && cursor !== null ? null : cursor
      isFirst = from !== null ? false : cursor === null
      return pageOf(driver, call, from)
    },
  }
}

/** What an own change returns is not what the feed reports of it afterwards. */
function echoing(driver: Driver): Driver {
  const older = (entry: Entry): Entry => ({ ...entry, modifiedAt: new Date(0) })
  return {
    ...driver,
    move: async (...args) => older((await driver.move?.(...args)) as Entry),
    restore: async (...args) => older((await driver.restore?.(...args)) as Entry),
  }
}

/** An entry that appears under a name that was seen in its folder is taken for the one that had it. */
function named(driver: Driver): Driver {
  const refs = new Map<string, EntryRef>()
  const known = (entry: Entry): Entry => {
    const place = `${entry.details?.parent}/${entry.name}`
    const ref = refs.get(place) ?? entry.ref
    refs.set(place, ref)
    return { ...entry, ref }
  }
  return {
    ...driver,
    changes: async (call, cursor) => {
      const page = await pageOf(driver, call, cursor)
      const changes = page.changes.map((change): Change => {
        const entry = change.entry && known(change.entry)
        return entry ? { ref: entry.ref, entry } : change
      })
      return { ...page, changes }
    },
    listAll: async (call, cursor) => {
      const page = await listOf(driver, call, cursor)
      return { ...page, items: page.items.map(known) }
    },
  }
}

function losing(driver: Driver): Driver {
  let count = 0
  return {
    ...driver,
    changes: async (call, cursor) => {
      const page = await pageOf(driver, call, cursor)
      const changes = page.changes.filter((_change, index) => (count + index) % 3 !== 0)
      count += page.changes.length
      return { ...page, changes }
    },
  }
}

function stale(driver: Driver): Driver {
  const first = new Map<string, EntryRef | null>()
  return {
    ...driver,
    changes: async (call, cursor) => {
      const page = await pageOf(driver, call, cursor)
      const changes = page.changes.map((change) => {
        if (!change.entry?.details) return change
        const parent = first.get(change.ref) ?? change.entry.details.parent
        first.set(change.ref, parent)
        return { ...change, entry: { ...change.entry, details: { ...change.entry.details, parent } } }
      })
      return { ...page, changes }
    },
  }
}

/** What an own move has made is not known here: it is found by the next listing. */
function forgetting(driver: Driver): Driver {
  return {
    ...driver,
    move: async (call, ref, to) => ({ ...((await driver.move?.(call, ref, to)) as Entry), ref }),
  }
}

/** A folder, and the whole account, is listed as it was when it was listed before. */
function outdated(driver: Driver): Driver {
  const before = new Map<string, Page<Entry>>()
  let last: readonly Entry[] | null = null
  let now: Entry[] = []
  return {
    ...driver,
    list: async (call, folder, cursor) => {
      const page = await driver.list(call, folder, cursor)
      const key = `${folder} ${cursor}`
      const older = before.get(key) ?? page
      before.set(key, page)
      return older
    },
    listAll: async (call, cursor) => {
      const page = await listOf(driver, call, cursor)
      if (cursor === null) now = []
      now.push(...page.items)
      if (page.cursor !== null) return { ...page, items: [] }
      const older = last ?? now
      last = now
      return { ...page, items: older }
    },
  }
}
