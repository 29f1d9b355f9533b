import type { Change, ChangePage, Driver, Entry, EntryRef, Page } from '../../../../server/providers/driver.ts'
import { entryOf } from '../../../fakes/memory/account.ts'
import type { MemoryCloud } from '../../../fakes/memory/cloud.ts'
import type { Chance } from '../random.ts'
import { SUBJECT } from './world.ts'

/** What can happen to pages of changes and listings. */
export type PageFaults = {
  /** Choices for the call that is being answered; null: nothing goes wrong. */
  chance: Chance | null
  /** A listing ended before its end, without an error, and none was complete since. */
  truncated: boolean
  count(name: string): void
}

/** Older states of an entry that can still be reported. */
const MOST_STATES = 3

/**
 * Pages as services send them: changes come again, in another order, later than others, or first in an older state; a listing ends
 * too early. The last report of each entry is its present state.
 */
export function distortPages(driver: Driver, cloud: MemoryCloud, faults: PageFaults): Driver {
  const states = new Map<EntryRef, Entry[]>()
  const account = cloud.accounts.get(SUBJECT)
  if (!account || !driver.changes || !driver.listAll) throw new Error('The account has no feed.')

  function changeOf(ref: EntryRef): Change {
    const object = account?.objects.get(ref)
    if (!object) return { ref, entry: null }
    if (cloud.tree(SUBJECT).isTrashed(object)) return { ref, entry: null, kind: object.kind }
    const entry = entryOf(cloud.service, object)
    states.set(ref, [...(states.get(ref) ?? []), entry].slice(-MOST_STATES))
    return { ref, entry }
  }

  async function changes(...[call, cursor]: Parameters<NonNullable<Driver['changes']>>): Promise<ChangePage> {
    const [inner = null, late = ''] = cursor?.split('|') ?? []
    const page = (await driver.changes?.(call, inner)) as ChangePage
    const { chance } = faults
    let refs = [...new Set([...(late === '' ? [] : late.split(',')), ...page.changes.flatMap(({ ref }) => ref ?? [])])]
    const delayed: string[] = []
    const stale: Change[] = []
    if (chance?.happens(0.2)) {
      faults.count('repeated changes')
      const before = account?.changed.slice(0, Number(inner)) ?? []
      for (let count = chance.between(1, 4); count > 0; count -= 1) refs.push(chance.pick(before) ?? 'root')
    }
    if (chance?.happens(0.2)) {
      faults.count('reordered changes')
      refs = shuffled(refs, chance)
    }
    if (chance?.happens(0.25)) {
      faults.count('late changes')
      const isLate = () => chance.happens(0.4)
      for (const ref of refs.filter(isLate)) {
        refs = refs.filter((one) => one !== ref)
        delayed.push(ref)
        const older = chance.pick(states.get(ref as EntryRef) ?? [])
        if (older && chance.happens(0.5)) stale.push({ ref: ref as EntryRef, entry: older })
      }
    }
    const isMore = page.hasMore || (delayed.length > 0 && chance?.happens(0.5) === true)
    return {
      changes: [...stale, ...refs.map((ref) => changeOf(ref as EntryRef))],
      cursor: delayed.length > 0 ? `${page.cursor}|${delayed.join(',')}` : page.cursor,
      hasMore: isMore,
    }
  }

  async function listAll(...[call, cursor]: Parameters<NonNullable<Driver['listAll']>>): Promise<Page<Entry>> {
    const page = (await driver.listAll?.(call, cursor)) as Page<Entry>
    if (!faults.chance?.happens(0.06)) return page
    faults.count('truncated listings')
    faults.truncated = true
    return { items: page.items.slice(0, faults.chance.between(0, page.items.length)), cursor: null }
  }

  return { ...driver, changes, listAll }
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  const left = [...items]
  return items.flatMap(() => left.splice(Math.floor(chance.next() * left.length), 1))
}
