import type pg from 'pg'
import { createGroupedRead, type FairSemaphore } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import { createArchive, readWhole } from './content/archive.ts'
import type { Contents } from './content/content.ts'
import {
  type CategoryUsage,
  type Copy,
  type EachAction,
  FILE_CATEGORIES,
  type File,
  type FilesService,
  type FilesSummary,
  type PhotoMonth,
  type WhichFiles,
} from './contract.ts'
import { type Change, changeTree, distinctIds, InAccountError, requireLiveFolder } from './tree/change.ts'
import {
  changeMixed,
  createEachChanges,
  createStepBatcher,
  emptyTrashInPlace,
  type StepDeps,
  updateEntry,
} from './tree/changeEach.ts'
import {
  accountsHolding,
  contentSize,
  copiesOf,
  createFileReads,
  getFiles,
  pathsTo,
  ROOT,
  requireFile,
  requireFiles,
} from './tree/entries.ts'
import { claimFolderId, createFolder } from './tree/folders.ts'
import {
  createLargeOwners,
  createReadTurns,
  isHeavy,
  isIndexedSearch,
  listFiles,
  type OpenedFolder,
  openedFolder,
  type Statement,
  selectionSql,
} from './tree/listing.ts'
import { starEntries } from './tree/marks.ts'
import { assignGroupCloud, moveEntries, restoreEntries } from './tree/move.ts'
import { nameKey, takenInAccount, takenKeys, validateName } from './tree/names.ts'
import { requireMatch, type Step, stepOf, stepsOfPatch } from './tree/step.ts'
import { emptyTrash, purgeEntries, startOf, trashEntries } from './tree/trash.ts'

export type FilesDeps = StepDeps & {
  readonly contents: Pick<Contents, 'open' | 'export'>
  /** Called with folders whose content was listed: they may be out of date. */
  readonly opened?: (folder: OpenedFolder) => void
  /** Limits reads that may take long, per user. */
  readonly turns?: FairSemaphore
}

/** The whole service except copying, which receives files as an upload does (domain/copying). */
export function createFilesService(deps: FilesDeps): Omit<FilesService, 'copy' | 'keepVersion'> {
  const { pool, contents, opened, turns = createReadTurns() } = deps

  /**
   * Changes the entries with these ids, all or none, and returns them as they are afterwards. With entries in accounts among them,
   * each is changed on its own, as by changeMixed.
   */
  async function changeFiles(
    viewer: Viewer,
    ids: readonly string[],
    work: (change: Change, ids: readonly string[]) => Promise<void>,
    action?: EachAction,
  ): Promise<File[]> {
    const distinct = distinctIds(ids)
    try {
      return await changeTree(deps, viewer, async (change) => {
        await work(change, distinct)
        return requireFiles(change.tx, viewer, distinct)
      })
    } catch (error) {
      if (!(error instanceof InAccountError) || !action) throw error
      await changeMixed(deps, viewer, distinct, action)
      return requireFiles(pool, viewer, distinct)
    }
  }

  const runStep = createStepBatcher(deps)
  const reads = createFileReads(pool)
  const largeOwners = createLargeOwners(pool)
  const paths = createGroupedRead<readonly File[]>((userId, ids) => pathsTo(pool, { userId }, ids))
  const copies = createGroupedRead<Copy[]>((userId, ids) => copiesOf(pool, { userId }, ids))

  /** Changes one entry, batched with other waiting changes of the same user. */
  async function changeOne(viewer: Viewer, step: Step): Promise<File> {
    const file = await runStep(viewer, step)
    if (!file) throw new NotFoundError()
    return file
  }

  /** Changes many entries in one transaction, all or none; a single one is batched with other waiting changes. */
  async function changeAll(
    viewer: Viewer,
    ids: readonly string[],
    action: EachAction,
    work: (change: Change, ids: readonly string[]) => Promise<void>,
  ): Promise<File[]> {
    const [id] = ids
    if (id === undefined || ids.length > 1) return changeFiles(viewer, ids, work, action)
    return [await changeOne(viewer, stepOf(id, action))]
  }

  async function removeMany(viewer: Viewer, ids: readonly string[]): Promise<void> {
    try {
      await changeTree(deps, viewer, (change) => purgeEntries(change, ids))
    } catch (error) {
      if (!(error instanceof InAccountError)) throw error
      await changeMixed(deps, viewer, ids, { kind: 'REMOVE' })
    }
  }

  return {
    async list(viewer, { path, ...options }) {
      const parentId = path === undefined ? options.parentId : await folderByPath(pool, viewer, path)
      const ownsMost = isIndexedSearch(options) && (await largeOwners.includes(viewer.userId))
      const read = () => listFiles(pool, viewer, { ...options, parentId }, ownsMost)
      const page = await (isHeavy(options) ? turns(viewer.userId, read) : read())
      const folder = openedFolder({ ...options, parentId }, page)
      if (folder) opened?.({ ...folder, userId: viewer.userId })
      return page
    },
    get: reads.get,
    getMany: reads.getMany,
    pathsTo: ({ userId }, folderIds) => paths(userId, folderIds),
    copies: ({ userId }, ids) => copies(userId, ids),
    storedIn: (viewer, ids) => accountsHolding(pool, viewer, ids),
    contentSize: (viewer, id) => contentSize(pool, viewer, id),
    storageByType: (viewer) => storageByType(pool, viewer),
    countAtRisk: (viewer) => countAtRisk(pool, viewer),

    async createFolder(viewer, input, idempotencyKey) {
      if (idempotencyKey === undefined) {
        return changeOne(viewer, { ...input, kind: 'CREATE', id: newId(), name: validateName(input.name) })
      }
      try {
        return await changeTree(deps, viewer, async (change) =>
          requireFile(change.tx, viewer, await createFolder(change, input, idempotencyKey)),
        )
      } catch (error) {
        if (!(error instanceof InAccountError)) throw error
        const folder = { ...input, name: validateName(input.name) }
        const { id } = await changeTree(deps, viewer, (change) => claimFolderId(change, folder, idempotencyKey))
        const [earlier] = await getFiles(pool, viewer, [id])
        return earlier ?? changeOne(viewer, { ...folder, kind: 'CREATE', id })
      }
    },
    makeFolders: (viewer, parentId, names) => makeFolders(pool, viewer, parentId, names, changeOne),
    byPath: (viewer, names) => fileByPath(pool, viewer, names),
    rename: async (viewer, id, name, ifMatch) =>
      changeOne(viewer, { kind: 'RENAME', id, name: validateName(name), ifMatch }),
    async update(viewer, id, patch, ifMatch) {
      const steps = stepsOfPatch(id, patch, ifMatch)
      const [step] = steps
      if (step && steps.length === 1 && step.kind !== 'ASSIGN') return changeOne(viewer, step)
      try {
        return await changeTree(deps, viewer, async (change) => {
          await requireMatch(change, id, ifMatch)
          await updateEntry(change, id, patch)
          return requireFile(change.tx, viewer, id)
        })
      } catch (error) {
        // A group cloud is refused, and what was changed in the account before that could not be undone.
        if (!(error instanceof InAccountError) || patch.groupCloudId !== undefined) throw error
        for (const each of steps) await changeOne(viewer, each)
        return requireFile(pool, viewer, id)
      }
    },
    move: (viewer, ids, parentId, onConflict = 'RENAME') => {
      const work = (change: Change, distinct: readonly string[]) => moveEntries(change, distinct, parentId, onConflict)
      const action = { kind: 'MOVE', parentId, onConflict } as const
      return onConflict === 'REPLACE' ? changeFiles(viewer, ids, work, action) : changeAll(viewer, ids, action, work)
    },
    star: (viewer, ids, starred) =>
      changeAll(viewer, ids, { kind: 'STAR', starred }, (change, distinct) => starEntries(change, distinct, starred)),
    moveToGroupCloud: (viewer, ids, groupCloudId) =>
      changeFiles(viewer, ids, (change, distinct) => assignGroupCloud(change, distinct, groupCloudId)),
    trash: (viewer, ids) => changeAll(viewer, ids, { kind: 'TRASH' }, trashEntries),
    restore: (viewer, ids) => changeAll(viewer, ids, { kind: 'RESTORE' }, restoreEntries),
    async remove(viewer, ids, ifMatch) {
      const [id] = ids
      if (id !== undefined && ids.length === 1) await runStep(viewer, { kind: 'REMOVE', id, ifMatch })
      else await removeMany(viewer, distinctIds(ids))
    },
    async discard(viewer, id, ifMatch) {
      await runStep(viewer, { kind: 'DISCARD', id, ifMatch })
    },
    async emptyTrash(viewer, idempotencyKey) {
      const asOf = await startOf(pool, viewer, { operation: 'emptyTrash', content: '' }, idempotencyKey)
      return (await emptyTrash(deps, viewer, asOf)) + (await emptyTrashInPlace(deps, viewer, asOf))
    },
    ...createEachChanges(deps),
    summarize: (viewer, which) => summarize(pool, viewer, which),
    bytesOf: (viewer, which) => bytesOf(pool, viewer, which),
    accountsOf: (viewer, which) => accountsOf(pool, viewer, which),
    monthsOf: (viewer, which) => monthsOf(pool, viewer, which),

    open: contents.open,
    async export(viewer, id, options = {}) {
      const { kind, name } = await requireFile(pool, viewer, id)
      if (kind === 'FOLDER') throw new ConflictError(`“${name}” is a folder. Please download it as a ZIP.`)
      return contents.export(viewer, id, options.type)
    },
    async archive(viewer, ids) {
      const files = await requireFiles(pool, viewer, distinctIds(ids))
      const list = (options: Parameters<FilesService['list']>[1]) => listFiles(pool, viewer, options)
      return createArchive({ list, open: (file) => readWhole(contents, viewer, file) }, files)
    },
  }
}

// Entries by their paths.

/** Far deeper than people nest folders; limits what one request creates. */
const MOST_NAMES = 100

/**
 * The names of a path: `/Photos/2024/` is Photos and 2024; slashes at both ends are ignored.
 * @throws InvalidInputError at `field`
 */
export function namesOfPath(path: string, field = 'path'): string[] {
  const inner = path.replace(/^\//, '').replace(/\/$/, '')
  const names = inner === '' ? [] : inner.split('/')
  try {
    if (names.length <= MOST_NAMES) return names.map(validateName)
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new InvalidInputError([{ path: field, message: error.message }])
  }
  throw new InvalidInputError([{ path: field, message: `A path has at most ${MOST_NAMES} names.` }])
}

const WALK = {
  name: 'files by path',
  text: `with recursive walk as (
      select '${ROOT}'::uuid as id, 0 as depth
      union all select f.id, walk.depth + 1 from walk cross join lateral (
        select id from files where user_id = $1 and coalesce(parent_id, '${ROOT}') = walk.id
          and name_key = ($2::text[])[walk.depth + 1] and trashed_at is null and purged_at is null and account_id is null
        union all select id from files where user_id = $1 and coalesce(parent_id, '${ROOT}') = walk.id
          and name_key = ($2::text[])[walk.depth + 1] and purged_at is null and account_id is not null) f)
    select id from walk join files using (id) where depth = cardinality($2::text[])
    order by account_id nulls first, id limit 1`,
}

/** @throws NotFoundError, InvalidInputError for the root, which is not an entry */
async function fileByPath(pool: pg.Pool, viewer: Viewer, names: readonly string[]): Promise<File> {
  if (names.length === 0) {
    const message = 'A path must name at least one file or folder; the root is not an entry.'
    throw new InvalidInputError([{ path: 'path', message }])
  }
  const { rows } = await pool.query<{ id: string }>({ ...WALK, values: [viewer.userId, names.map(nameKey)] })
  const [row] = rows
  if (!row) throw new NotFoundError('There is nothing at this path.')
  return requireFile(pool, viewer, row.id)
}

/** Null for the root. @throws NotFoundError, InvalidInputError for a path that leads to a file */
async function folderByPath(pool: pg.Pool, viewer: Viewer, path: string): Promise<string | null> {
  const names = namesOfPath(path)
  if (names.length === 0) return null
  const { id, kind, name } = await fileByPath(pool, viewer, names)
  if (kind === 'FOLDER') return id
  throw new InvalidInputError([{ path: 'path', message: `“${name}” is a file. Please give the path of a folder.` }])
}

type RunStep = (viewer: Viewer, step: Step) => Promise<File>

/** @throws as FilesService.makeFolders */
async function makeFolders(
  pool: pg.Pool,
  viewer: Viewer,
  parentId: string | null,
  names: readonly string[],
  runStep: RunStep,
): Promise<{ id: string | null; made: File[] }> {
  let id = parentId
  const made: File[] = []
  for (const name of names.map(validateName)) {
    const earlier = await findByName(pool, viewer, id, name)
    const { file, isNew } = earlier
      ? { file: earlier, isNew: false }
      : await make(pool, viewer, { name, parentId: id }, runStep)
    if (file.kind !== 'FOLDER') throw new NameTakenError(file.name)
    if (isNew) made.push(file)
    id = file.id
  }
  return { id, made }
}

/** If another request creates the folder at the same time, that one is returned. */
async function make(
  pool: pg.Pool,
  viewer: Viewer,
  folder: { readonly name: string; readonly parentId: string | null },
  runStep: RunStep,
): Promise<{ file: File; isNew: boolean }> {
  try {
    return { file: await runStep(viewer, { ...folder, kind: 'CREATE', id: newId() }), isNew: true }
  } catch (error) {
    const file = error instanceof NameTakenError ? await findByName(pool, viewer, folder.parentId, folder.name) : null
    if (!file) throw error
    return { file, isNew: false }
  }
}

async function findByName(pool: pg.Pool, viewer: Viewer, parentId: string | null, name: string): Promise<File | null> {
  const key = nameKey(name)
  const space = { userId: viewer.userId, parentId }
  const own = (await takenKeys(pool, space, [key])).get(key)
  const id = own ?? (parentId === null ? null : await takenInAccount(pool, space, key))
  return id === null ? null : ((await getFiles(pool, viewer, [id]))[0] ?? null)
}

// Sums over files: of a selection, of a list, or of everything.

type Row = CategoryUsage & { readonly asOf: Date }

/** @throws as FilesService.summarize */
export async function summarize(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<FilesSummary> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<Row & { readonly category: Row['category'] | null }>(
    `select now()::timestamptz(3) as "asOf", category, coalesce(files, 0)::int as files, coalesce(bytes, 0)::float8 as bytes
     from (select 1) as always left join (
       select f.category, count(*) as files, sum(f.size) as bytes from files f where ${text} group by f.category) as found on true`,
    [...values],
  )
  const categories = FILE_CATEGORIES.flatMap((category) => {
    const row = rows.find((one) => one.category === category)
    return row ? [{ category, files: row.files, bytes: row.bytes }] : []
  })
  const count = categories.reduce((sum, { files }) => sum + files, 0)
  const folders = categories.find(({ category }) => category === 'FOLDER')?.files ?? 0
  const bytes = categories.reduce((sum, one) => sum + one.bytes, 0)
  return { asOf: rows[0]?.asOf ?? new Date(0), count, files: count - folders, folders, bytes, categories }
}

/** Walks everything below the selected folders. @throws as FilesService.bytesOf */
export async function bytesOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<number> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<{ bytes: number }>(
    `with recursive tree as (
       select f.id, f.kind, f.size from files f where ${text}
       union select c.id, c.kind, c.size from tree join files c on c.parent_id = tree.id
         where tree.kind = 'FOLDER' and c.trashed_at is null and c.purged_at is null)
     select coalesce(sum(size), 0)::float8 as bytes from tree`,
    [...values],
  )
  return rows[0]?.bytes ?? 0
}

/** The same definition as `storedIn`. @throws as FilesService.accountsOf */
export async function accountsOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<string[]> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<{ id: string }>(
    `select a.id from accounts a where a.user_id = $1 and a.disconnected_at is null and exists (
       select from files f join copies c on c.file_id = f.id and c.state <> 'MISSING'
         join pieces p on p.copy_id = c.id and p.account_id = a.id where ${text})
     order by a.id`,
    [...values],
  )
  return rows.map(({ id }) => id)
}

/** @throws as FilesService.monthsOf */
export async function monthsOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<PhotoMonth[]> {
  const { text, values } = await whereOf(pool, viewer, which)
  const { rows } = await pool.query<PhotoMonth>(
    `select to_char(coalesce(f.taken_at, f.updated_at) at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count
     from files f where ${text} and f.category in ('IMAGE', 'VIDEO') group by 1 order by 1 desc`,
    [...values],
  )
  return rows
}

async function whereOf(pool: pg.Pool, viewer: Viewer, which: WhichFiles): Promise<Statement> {
  if ('ids' in which) {
    const values = [viewer.userId, distinctIds(which.ids)]
    return { text: 'f.user_id = $1 and f.purged_at is null and f.id = any($2::uuid[])', values }
  }
  const { view, parentId, query } = which.list
  if (view === 'DRIVE' && parentId && !query) await requireLiveFolder({ tx: pool, userId: viewer.userId }, parentId)
  return selectionSql(viewer, which.list)
}

/** Exported for the tests of its plan. */
export const USAGE = {
  name: 'storage-by-type',
  text: `select category, count(*)::int as files, sum(size)::float8 as bytes from files
    where user_id = $1 and kind = 'FILE' and purged_at is null and account_id is null and not is_version group by category`,
}

/** Exported for the tests of its plan. */
export const AT_RISK = {
  name: 'count-at-risk',
  text: `select count(*)::int as files from files
    where user_id = $1 and kind = 'FILE' and state = 'AT_RISK' and trash_root_id is null and purged_at is null`,
}

/** Space used by files of each type, in the order of the categories, including the trash. */
export async function storageByType(pool: pg.Pool, { userId }: Viewer): Promise<CategoryUsage[]> {
  const { rows } = await pool.query<CategoryUsage>({ ...USAGE, values: [userId] })
  return FILE_CATEGORIES.flatMap((category) => rows.find((row) => row.category === category) ?? [])
}

export async function countAtRisk(pool: pg.Pool, { userId }: Viewer): Promise<number> {
  const { rows } = await pool.query<{ files: number }>({ ...AT_RISK, values: [userId] })
  return rows[0]?.files ?? 0
}
