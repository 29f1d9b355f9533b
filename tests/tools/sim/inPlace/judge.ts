import type { EntryRef } from '../../../../server/providers/driver.ts'
import { ROOT } from '../../../fakes/memory/cloud.ts'
import { type InPlaceWorld, SUBJECT } from './world.ts'

/** What must be true all the time, and what has to be true in the end. */
export type Judge = {
  /** The entry, and what is in it, is going to be gone from the account, because a user wants that. */
  expectGone(ref: EntryRef): void
  /** After each change in the account: where entries are. */
  noteFolders(): void
  /** The entry, and what is in it, is somewhere else in the account now. Where the service names entries by paths, that is another one. */
  expectMoved(ref: EntryRef): void
  /** What an entry contains from now on. */
  expectContent(ref: EntryRef, content: string): void
  /** After each step. `forgotten`: rows of entries that were gone long ago may have been removed. */
  observe(forgotten: boolean): Promise<void>
  /** How the index differs from the account. */
  differences(): Promise<string[]>
}

type Row = { readonly ref: EntryRef; readonly fileId: string; readonly shown: boolean }

export function createJudge(
  world: InPlaceWorld,
  { note, violate }: { note(line: string): void; violate(text: string): void },
): Judge {
  const { control, cloud, accountId, shape, isOwn, nameOf } = world
  const account = cloud.accounts.get(SUBJECT)
  const tree = cloud.tree(SUBJECT)
  const rowOf = new Map<EntryRef, string>()
  const hidden = new Set<EntryRef>()
  /** Every folder that an entry was ever in. */
  const foldersOf = new Map<EntryRef, Set<EntryRef>>()
  const gone = new Set<EntryRef>()
  const contents = new Map<EntryRef, string>()
  /** Every id that an entry has had: one that was moved outside is new at first, until it is known that it is gone elsewhere. */
  const idsOf = new Map<EntryRef, Set<string>>()
  /** Entries that may be other ones in the index now. */
  const loose = new Set<EntryRef>()
  /** Folders that were moved outside are recognised by what is in them, if at all: also as another one, whose content is there now. */
  const movedFolders = new Set<EntryRef>()

  function noteFolders(): void {
    for (const { ref, parent } of cloud.objects(SUBJECT)) {
      if (parent) foldersOf.set(ref, (foldersOf.get(ref) ?? new Set()).add(parent))
    }
  }
  const mayBeHidden = (ref: EntryRef, seen = new Set<EntryRef>()): boolean => {
    if (seen.has(ref)) return false
    seen.add(ref)
    return gone.has(ref) || [...(foldersOf.get(ref) ?? [])].some((folder) => mayBeHidden(folder, seen))
  }

  /** As checkRows, by what is where: a path can have belonged to another entry. */
  async function checkPaths(): Promise<void> {
    const { rows } = await control.query<Row>(
      `select e.ref, e.file_id as "fileId" from account_entries e join files f on f.id = e.file_id
       where e.account_id = $1 and f.purged_at is null and f.trash_root_id is null`,
      [accountId],
    )
    const shown = new Map(rows.map(({ ref, fileId }) => [ref, fileId]))
    for (const { ref } of cloud.objects(SUBJECT)) {
      if (isOwn(ref)) continue
      const [before, fileId] = [rowOf.get(ref), shown.get(nameOf(ref))]
      const isFree = loose.has(ref) || movedFolders.has(ref)
      const wasOwn = fileId !== undefined && idsOf.get(ref)?.has(fileId) === true
      if (before && fileId && before !== fileId && !isFree && !wasOwn) violate(`${ref} was deleted and made again`)
      if (before && !fileId && !loose.has(ref) && !mayBeHidden(ref)) violate(`${ref} was hidden, and was never gone`)
      if (!fileId) continue
      rowOf.set(ref, fileId)
      idsOf.set(ref, (idsOf.get(ref) ?? new Set()).add(fileId))
      loose.delete(ref)
    }
  }

  async function checkCounts(): Promise<void> {
    const { rows } = await control.query<{ ref: EntryRef; count: number; children: number }>(
      `select * from (${SHOWN}) s where count <> children`,
      [accountId],
    )
    for (const { ref, count, children } of rows) violate(`${ref} counts ${count} of ${children}`)
  }

  async function checkRows(forgotten: boolean): Promise<void> {
    const { rows } = await control.query<Row>(
      `select e.ref, e.file_id as "fileId", f.purged_at is null and f.trash_root_id is null as shown
       from account_entries e join files f on f.id = e.file_id where e.account_id = $1`,
      [accountId],
    )
    const missing = new Set(rowOf.keys())
    for (const { ref, fileId, shown } of rows) {
      const before = rowOf.get(ref)
      if (before !== undefined && before !== fileId) violate(`${ref} was deleted and made again`)
      // What the account has no more can have come and gone within one step: a new folder, with the one that it is in.
      const isHeld = account?.objects.has(ref as EntryRef) ?? false
      if (!shown && isHeld && !mayBeHidden(ref)) violate(`${ref} was hidden, and was never gone`)
      if (before === undefined) note(`  new ${ref}`)
      if (shown === hidden.has(ref)) note(`  ${shown ? 'shown' : 'hidden'} ${ref}`)
      if (shown) hidden.delete(ref)
      else hidden.add(ref)
      rowOf.set(ref, fileId)
      missing.delete(ref)
    }
    for (const ref of missing) {
      if (!forgotten) violate(`the row of ${ref} was deleted`)
      rowOf.delete(ref)
    }
  }

  function checkContents(): void {
    for (const [ref, content] of contents) {
      const object = account?.objects.get(ref)
      if (object && object.bytes.toString() !== content) violate(`${ref} has other bytes`)
      if (!object && !mayBeHidden(ref)) violate(`the bytes of ${ref} are lost`)
    }
  }

  return {
    noteFolders,
    expectGone(ref) {
      noteFolders()
      gone.add(ref)
    },
    expectMoved(ref) {
      loose.add(ref)
      if (account?.objects.get(ref)?.kind === 'folder') movedFolders.add(ref)
      for (const { ref: below, parent } of cloud.objects(SUBJECT)) {
        if (parent === ref) this.expectMoved(below)
      }
    },
    expectContent(ref, content) {
      contents.set(ref, content)
    },
    async observe(forgotten) {
      noteFolders()
      checkContents()
      if (shape === 'WALK') await checkPaths()
      if (shape === 'WALK') await checkCounts()
      else await checkRows(forgotten)
    },
    async differences() {
      const { rows } = await control.query<Shown>(SHOWN, [accountId])
      // After a crash it is unknown that the folder is Skypool's, until it is used: it is shown, with what a user puts into it.
      const unknown = await control.query('select from accounts where id = $1 and home_ref is null', [accountId])
      const isHidden = ({ ref }: { ref: EntryRef }) => isOwn(ref) && unknown.rowCount === 0
      const held = cloud.objects(SUBJECT).filter((object) => !tree.isTrashed(object) && !isHidden(object))
      const index = new Map(rows.map((row) => [row.ref, row]))
      const found: string[] = []
      for (const { ref, name, parent, kind, bytes } of held) {
        const row = index.get(nameOf(ref))
        index.delete(nameOf(ref))
        if (!row) found.push(`${ref} is missing`)
        else if (row.name !== (name === '' ? 'Untitled' : name)) found.push(`${ref} has the name ${row.name}`)
        else if (kind === 'file' && row.size !== bytes.length) found.push(`${ref} has ${row.size} bytes`)
        else if (parent === null || parent === ROOT ? !row.top : row.above !== nameOf(parent))
          found.push(`${ref} is in another folder`)
        else if (kind === 'folder' && row.count !== row.children)
          found.push(`${ref} counts ${row.count} of ${row.children}`)
      }
      found.push(...[...index.keys()].map((ref) => `${ref} is too much`))
      const { rows: counts } = await control.query<{ entries: number; held: number }>(
        'select entries, held from account_indexes where account_id = $1',
        [accountId],
      )
      if (counts[0]?.entries !== held.length)
        found.push(`${counts[0]?.entries} entries are counted instead of ${held.length}`)
      if (counts[0]?.held !== 0) found.push(`${counts[0]?.held} entries are held`)
      return found
    },
  }
}

type Shown = {
  readonly ref: EntryRef
  readonly name: string
  readonly size: number
  readonly above: string | null
  readonly top: boolean
  readonly count: number
  readonly children: number
}

const SHOWN = `select e.ref, f.name, f.size::int as size, p.ref as above, f.parent_id = i.root_file_id as top, f.child_count as count,
    (select count(*)::int from files c where c.parent_id = f.id and c.purged_at is null and c.trashed_at is null) as children
  from account_entries e join files f on f.id = e.file_id join account_indexes i on i.account_id = e.account_id
    left join account_entries p on p.file_id = f.parent_id
  where e.account_id = $1 and f.purged_at is null and f.trash_root_id is null`
