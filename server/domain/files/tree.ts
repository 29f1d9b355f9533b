import { FolderCycleError, NotFoundError } from '../errors.ts'
import type { FileKind } from '../services.ts'
import type { Change } from './change.ts'
import type { Queryable } from './lookup.ts'

/** What tree changes need to know of an entry. */
export type Entry = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  readonly name: string
  readonly nameKey: string
  readonly trashedAt: Date | null
  /** Set when it is in the trash, by itself or below something that is. */
  readonly trashRootId: string | null
}

const ENTRY_COLUMNS = `id, parent_id as "parentId", kind, name, name_key as "nameKey", trashed_at as "trashedAt",
  trash_root_id as "trashRootId"`

/** Those of the ids that are the viewer's entries, locked. */
export async function findEntries({ tx, userId }: Change, ids: readonly string[]): Promise<Map<string, Entry>> {
  const { rows } = await tx.query<Entry>({
    name: 'files find entries',
    text: `select ${ENTRY_COLUMNS} from files where id = any($2::uuid[]) and user_id = $1 and purged_at is null
      order by id for update`,
    values: [userId, ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The viewer's entries, locked, in the order asked. @throws NotFoundError when one is not theirs */
export async function lockEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  const byId = await findEntries(change, ids)
  return ids.map((id) => {
    const entry = byId.get(id)
    if (!entry) throw new NotFoundError()
    return entry
  })
}

/** As lockEntries. @throws NotFoundError also for what is in the trash */
export async function lockLiveEntries(change: Change, ids: readonly string[]): Promise<Entry[]> {
  const entries = await lockEntries(change, ids)
  const trashed = entries.find((entry) => entry.trashRootId !== null)
  if (trashed) throw inTrash(trashed)
  return entries
}

export function inTrash({ name }: Pick<Entry, 'name'>): NotFoundError {
  return new NotFoundError(`“${name}” is in the trash. Please restore it first.`)
}

export type Ancestor = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  /** Neither trashed nor deleted, itself. What stands above it may be. */
  readonly live: boolean
}

/** A transaction, or a pool where what is read need not hold. */
type Where = { readonly tx: Queryable; readonly userId: string }

/** Entries and everything above them, by id. */
export async function ancestry({ tx, userId }: Where, ids: readonly string[]): Promise<Map<string, Ancestor>> {
  const { rows } = await tx.query<Ancestor>({
    name: 'files ancestry',
    text: `with recursive up as (
        select id, parent_id, kind, trashed_at, purged_at from files where id = any($2::uuid[]) and user_id = $1
        union select f.id, f.parent_id, f.kind, f.trashed_at, f.purged_at from up join files f on f.id = up.parent_id)
      select id, parent_id as "parentId", kind, trashed_at is null and purged_at is null as live from up`,
    values: [userId, ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** From the entry itself up to the root. */
export function chainOf(ancestors: ReadonlyMap<string, Ancestor>, id: string | null): Ancestor[] {
  const chain: Ancestor[] = []
  for (let at = ancestors.get(id ?? ''); at; at = ancestors.get(at.parentId ?? '')) chain.push(at)
  return chain
}

/** The folder and what stands above it, none for the root. @throws NotFoundError unless it is a folder outside the trash */
export async function requireLiveFolder(change: Where, id: string | null): Promise<Ancestor[]> {
  if (id === null) return []
  const chain = chainOf(await ancestry(change, [id]), id)
  if (!isLiveFolder(chain)) throw noSuchFolder()
  return chain
}

/** Whether entries may be put into the folder at the beginning of the chain. */
export function isLiveFolder(chain: readonly Ancestor[]): boolean {
  return chain[0]?.kind === 'FOLDER' && chain.every(({ live }) => live)
}

export function noSuchFolder(): NotFoundError {
  return new NotFoundError('There is no such folder. It may have been deleted.')
}

/** @throws FolderCycleError when one of the entries is the target or stands above it */
export function refuseCycle(
  entries: readonly Entry[],
  targetChain: readonly Ancestor[],
  verb: 'moved' | 'copied' = 'moved',
): void {
  const above = new Set(targetChain.map(({ id }) => id))
  if (entries.some(({ id }) => above.has(id))) throw new FolderCycleError(verb)
}

/** Counts the live entries of folders anew: +1 for each in `joined`, -1 for each in `left`; null is the root, which is not counted. */
export async function recount(
  { tx, parentIds }: Change,
  joined: readonly (string | null)[],
  left: readonly (string | null)[],
): Promise<void> {
  const deltas = new Map<string, number>()
  const add = (id: string | null, delta: number) => {
    parentIds.add(id)
    if (id !== null) deltas.set(id, (deltas.get(id) ?? 0) + delta)
  }
  for (const id of joined) add(id, 1)
  for (const id of left) add(id, -1)
  if (deltas.size === 0) return
  // In the order of ids, as uploads lock them.
  const ids = [...deltas.keys()].sort()
  await tx.query({
    name: 'files lock folders',
    text: 'select from files where id = any($1::uuid[]) order by id for update',
    values: [ids],
  })
  await tx.query({
    name: 'files count children',
    text: `update files f set child_count = f.child_count + d.delta
      from unnest($1::uuid[], $2::int[]) d(id, delta)
      where f.id = d.id and f.id = any($1::uuid[]) and d.delta <> 0`,
    values: [ids, ids.map((id) => deltas.get(id))],
  })
}
