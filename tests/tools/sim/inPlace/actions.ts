import { DomainError } from '../../../../server/domain/errors.ts'
import type { Step } from '../../../../server/domain/files/tree/step.ts'
import { newId } from '../../../../server/lib/ids.ts'
import type { EntryRef } from '../../../../server/providers/driver.ts'
import type { MemoryObject } from '../../../fakes/memory/account.ts'
import { ROOT } from '../../../fakes/memory/cloud.ts'
import { moved } from '../../../fakes/memory/entries.ts'
import { failing } from '../../../fakes/memory/errors.ts'
import { Died } from '../mortal.ts'
import type { Chance } from '../random.ts'
import type { Name, Stage } from './schedule.ts'
import { SUBJECT } from './world.ts'

/** Fewer entries than are held back when they are gone at once. */
const MOST_ENTRIES = 80
const NAMES = ['a', 'b', 'B', 'a.txt', 'plan', 'plan (2)', 'ü', 'very/odd', ''] as const
const ORDERS = ['FOLDERS_FIRST', 'CREATION', 'REVERSED', 'SHUFFLED'] as const
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What a step does on one of the servers. `times`: how many changes. */
export type Action = (server: number, chance: Chance, times?: number) => Promise<void>

/** A file of the index: shown, or in the trash. */
type Picked = { id: string; ref: EntryRef; name: string; parentId: string }
type Given = { readonly step: Step; readonly ref: EntryRef | null; readonly parentRef: EntryRef }

export function createActions(stage: Stage): Record<Name, Action> {
  const { world, judge, note, violate, asked, pageFaults } = stage
  const { cloud, control, viewer, accountId, clock, turns } = world
  const tree = cloud.tree(SUBJECT)
  const account = cloud.accounts.get(SUBJECT)
  const fail = failing(cloud.service, 'move')
  let changes = 0

  const live = () => cloud.objects(SUBJECT).filter((object) => !tree.isTrashed(object) && !world.isOwn(object.ref))
  const refOf = (chance: Chance, kinds: readonly string[]): EntryRef | undefined =>
    chance.pick(live().filter(({ kind }) => kinds.includes(kind)))?.ref
  const folder = (chance: Chance): EntryRef => (chance.happens(0.4) ? ROOT : (refOf(chance, ['folder']) ?? ROOT))

  function changeOutside(chance: Chance): void {
    changeEntry(chance)
    judge.noteFolders()
  }

  function changeEntry(chance: Chance): void {
    changes += 1
    const what = chance.weighted({ add: 6, rename: 2, move: 3, swap: 1, overwrite: 2, trash: 1, restore: 1, remove: 1 })
    const ref = refOf(chance, ['file', 'folder'])
    if (what === 'add' || !ref) {
      if (live().length >= MOST_ENTRIES) return
      const kind = chance.happens(0.35) ? 'folder' : 'file'
      const content = kind === 'file' ? `content ${changes}` : ''
      const added = { parent: folder(chance), name: chance.oneOf(NAMES), kind, mimeType: null } as const
      if (world.shape === 'WALK' && tree.named(added.parent, added.name)) return
      const { ref: made } = tree.add({ ...added, bytes: Buffer.from(content) })
      judge.expectContent(made, content)
      note(`  outside: add ${kind} ${made} to ${added.parent}`)
      return
    } else if (what === 'rename') moveOutside(ref, { name: chance.oneOf(NAMES.slice(0, 7) as never) })
    else if (what === 'move') moveOutside(ref, { parent: folder(chance) })
    else if (what === 'swap') swapNames(ref, refOf(chance, ['file', 'folder']) ?? ref)
    else if (what === 'overwrite') {
      const file = refOf(chance, ['file'])
      if (!file) return
      cloud.overwrite(SUBJECT, file, Buffer.from(`changed ${changes}`))
      judge.expectContent(file, `changed ${changes}`)
    } else if (what === 'restore') {
      const trashed = chance.pick(cloud.objects(SUBJECT).filter((object) => object.trashed))
      if (trashed) tree.setTrashed(trashed.ref, false)
      note(`  outside: restore ${trashed?.ref}`)
      return
    } else {
      judge.expectGone(ref)
      if (what === 'trash' && world.shape === 'FEED') tree.setTrashed(ref, true)
      else tree.remove(ref)
    }
    note(`  outside: ${what} ${ref}`)
  }

  function moveOutside(ref: EntryRef, to: { parent?: EntryRef; name?: string }): void {
    try {
      moved(tree, ref, to, fail)
      judge.expectMoved(ref)
    } catch {
      // Refused, as a service refuses it: a folder cannot be inside itself.
    }
  }

  /** Each gets the other's name and folder, unless one is inside the other. */
  function swapNames(a: EntryRef, b: EntryRef): void {
    const [first, second] = [a, b].map((ref) => account?.objects.get(ref)) as [MemoryObject, MemoryObject]
    const [was, other] = [first, second].map(({ name, parent }) => ({ name, parent: parent ?? ROOT }))
    if (a === b || !was || !other) return
    moveOutside(a, other)
    moveOutside(b, was)
  }

  async function pickFile(chance: Chance, condition: string): Promise<Picked | undefined> {
    const { rows } = await control.query<Picked>(
      `select f.id, e.ref, f.name, f.parent_id as "parentId" from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and f.purged_at is null and ${condition} order by e.file_id`,
      [accountId],
    )
    const file = chance.pick(rows)
    return file && { ...file, ref: world.refOf(file.ref) }
  }

  async function pickFolder(chance: Chance): Promise<string | undefined> {
    const { rows } = await control.query<{ id: string }>(
      `select id from files where account_id = $1 and kind = 'FOLDER' and purged_at is null and trash_root_id is null order by id`,
      [accountId],
    )
    return chance.pick(rows)?.id
  }

  async function stepInside(chance: Chance): Promise<Given | null> {
    const kind = chance.weighted({ CREATE: 1, RENAME: 2, MOVE: 3, TRASH: 2, RESTORE: 2, REMOVE: 1 }) as Step['kind']
    const wanted = kind === 'RESTORE' ? 'f.trashed_at is not null' : 'f.trash_root_id is null'
    const isTrashed = kind === 'REMOVE' && chance.happens(0.7)
    const file = await pickFile(chance, isTrashed ? 'f.trashed_at is not null' : wanted)
    const inRoot = chance.happens(0.4)
    const target = inRoot ? undefined : await pickFile(chance, "f.kind = 'FOLDER' and f.trash_root_id is null")
    const { rows } = await control.query<{ id: string }>(
      'select root_file_id as id from account_indexes where account_id = $1',
      [accountId],
    )
    const parentId = target?.id ?? rows[0]?.id ?? ''
    const parentRef = target?.ref ?? ROOT
    const name = chance.oneOf(['a', 'c', 'plan', 'ü'] as const)
    if (kind === 'CREATE') return { step: { kind, id: newId(), name, parentId }, ref: null, parentRef }
    if (!file) return null
    const { id, ref } = file
    // What the index shows already is not asked for.
    if (file.parentId === parentId && kind === 'MOVE') return null
    if (file.name === name && kind === 'RENAME') return null
    if (kind === 'RENAME') return { step: { id, kind, name }, ref, parentRef }
    if (kind === 'MOVE') {
      const onConflict = chance.oneOf(['RENAME', 'FAIL', 'REPLACE'] as const)
      if (onConflict === 'REPLACE') for (const one of await sameNames(parentId, file.name)) expectGone(one)
      return { step: { id, kind, parentId, onConflict }, ref, parentRef }
    }
    if (kind === 'TRASH' || kind === 'REMOVE') expectGone(ref)
    return { step: { id, kind: kind as 'TRASH' }, ref, parentRef }
  }

  async function sameNames(parentId: string, name: string): Promise<EntryRef[]> {
    const { rows } = await control.query<{ ref: EntryRef }>(
      `select e.ref from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and f.parent_id = $2 and lower(f.name) = lower($3)`,
      [accountId, parentId, name],
    )
    return rows.map(({ ref }) => world.refOf(ref))
  }

  function expectGone(ref: EntryRef): void {
    asked.add(ref)
    judge.expectGone(ref)
  }

  /** @returns whether it was done. `alone`: nothing else happens meanwhile, so that the account has to show it */
  async function changeInside(server: number, { step, ref, parentRef }: Given, alone: boolean): Promise<boolean> {
    changes += 1
    note(`  inside: ${step.kind} ${ref}`)
    try {
      const file = await stage.server(server).changeInPlace(viewer, step)
      const object = ref === null ? undefined : account?.objects.get(ref)
      const isTrashed = object !== undefined && (tree.isTrashed(object) || world.isOwn(object.ref))
      const isDone =
        step.kind === 'CREATE'
          ? tree.children(parentRef).some(({ name, kind }) => name === step.name && kind === 'folder')
          : step.kind === 'RENAME'
            ? object?.name === step.name && file?.name === step.name
            : step.kind === 'MOVE'
              ? object?.parent === parentRef && file?.parentId === step.parentId
              : step.kind === 'TRASH'
                ? isTrashed && file?.trashedAt !== null
                : step.kind === 'RESTORE'
                  ? object !== undefined && !isTrashed && file?.trashedAt === null
                  : object === undefined && file === null
      if (alone && !isDone) violate(`${step.kind} was not done`)
      return true
    } catch (error) {
      const isExpected = error instanceof DomainError || stage.server(server).life.died
      if (!isExpected) violate(`${step.kind}: ${error instanceof Error ? error.stack : error}`)
      note(`    ${error instanceof Error ? error.name : error}`)
      // It may have been done at the service.
      if (ref !== null) judge.expectMoved(ref)
      return false
    }
  }

  /** What is asked of a server that crashes meanwhile has no answer. */
  async function asks(server: number, work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      const isExpected = error instanceof Died || error instanceof DomainError || stage.server(server).life.died
      if (!isExpected) violate(`unexpected: ${error instanceof Error ? error.stack : error}`)
    })
  }

  async function rowVersions(): Promise<Map<string, string>> {
    const { rows } = await control.query<{ id: string; version: string }>(
      `select f.id, f.xmin::text as version from account_entries e join files f on f.id = e.file_id where e.account_id = $1`,
      [accountId],
    )
    return new Map(rows.map(({ id, version }) => [id, version]))
  }

  return {
    async outside(_server, chance, times = chance.between(1, 3)) {
      for (let left = times; left > 0; left -= 1) changeOutside(chance)
    },
    async inside(server, chance) {
      const given = await stepInside(chance)
      if (given) await changeInside(server, given, true)
    },
    poll: (server) => stage.poll(server),
    async together(server, chance) {
      const others = { poll: 3, 'poll there': 3, inside: 3, 'inside there': 3, outside: 3, refresh: 1 } as const
      const works = Array.from({ length: chance.between(2, 4) }, () => chance.weighted(others))
      const there = 1 - server
      await clock.advance(MINUTE_MS)
      const given: (Given | null)[] = []
      for (const work of works) given.push(work.startsWith('inside') ? await stepInside(chance) : null)
      note(`  ${works.join(' + ')}`)
      await Promise.all(
        works.map(async (work, index) => {
          const one = given[index]
          if (one) await changeInside(work === 'inside' ? server : there, one, false)
          else if (work === 'poll') await stage.server(server).feed.tick()
          else if (work === 'poll there') await stage.server(there).feed.tick()
          else if (work === 'refresh') await asks(server, stage.server(server).service.refresh(viewer, accountId))
          else if (work === 'outside')
            for (let left = 3; left > 0; left -= 1) await turns.step(() => changeOutside(chance))
        }),
      )
    },
    /** What a user changes here comes back in the feed, and changes nothing any more. */
    async 'own changes'(server, chance) {
      const problems = await stage.finish()
      for (const problem of problems) violate(`before an own change: ${problem}`)
      const given = await stepInside(chance)
      if (!given || !(await changeInside(server, given, true))) return
      const before = await rowVersions()
      world.changedFiles.length = 0
      for (const reader of [1 - server, server]) await stage.poll(reader)
      const after = await rowVersions()
      // A folder comes back with what was changed in it before anybody here saw that.
      if (given.step.kind === 'RESTORE' && account?.objects.get(given.ref ?? ROOT)?.kind === 'folder') return
      for (const [id, version] of after)
        if (before.get(id) !== version) violate(`the echo of ${given.step.kind} changed ${id}`)
      if (world.changedFiles.length > 0) violate(`the echo of ${given.step.kind} was published`)
    },
    restart: (server) => world.restart(server),
    refresh: (server) => asks(server, stage.server(server).service.refresh(viewer, accountId)),
    async sweep(server) {
      const { housekeeping } = stage.server(server)
      const { signal } = new AbortController()
      await housekeeping.sweepEntries()
      await housekeeping.forgetEntries(accountId, signal)
      await housekeeping.expireTrash(signal)
    },
    async clock(_server, chance) {
      const to = chance.weighted({ soon: 2, later: 2, days: 1, back: 2, 'far back': 1 })
      const ms = {
        soon: 10 * MINUTE_MS,
        later: 90 * MINUTE_MS,
        days: 40 * DAY_MS,
        back: -20 * MINUTE_MS,
        'far back': -3 * DAY_MS,
      }
      note(`  ${to}`)
      await clock.jump(ms[to])
    },
    async open(server, chance) {
      const isMeanwhile = chance.happens(0.4)
      const chosen = await pickFolder(chance)
      if (!chosen) return
      await clock.advance(MINUTE_MS)
      stage.server(server).looks.opened({ userId: viewer.userId, folderId: chosen })
      if (isMeanwhile) await turns.step(() => changeOutside(chance))
    },
    async 'reset changes'() {
      cloud.resetChanges(SUBJECT)
    },
    async 'reset listings'() {
      cloud.resetListings(SUBJECT)
    },
    async 'other pages'(_server, chance) {
      cloud.listing = { order: chance.oneOf(ORDERS), repeated: chance.between(0, 2) }
      pageFaults.count('other pages')
    },
  }
}
