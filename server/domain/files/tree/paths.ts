import type pg from 'pg'
import { newId } from '../../../lib/ids.ts'
import { InvalidInputError, NameTakenError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { File } from '../contract.ts'
import { getFiles, ROOT, requireFile } from './entries.ts'
import { nameKey, takenInAccount, takenKeys, validateName } from './names.ts'
import type { Step } from './steps.ts'

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
export async function fileByPath(pool: pg.Pool, viewer: Viewer, names: readonly string[]): Promise<File> {
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
export async function folderByPath(pool: pg.Pool, viewer: Viewer, path: string): Promise<string | null> {
  const names = namesOfPath(path)
  if (names.length === 0) return null
  const { id, kind, name } = await fileByPath(pool, viewer, names)
  if (kind === 'FOLDER') return id
  throw new InvalidInputError([{ path: 'path', message: `“${name}” is a file. Please give the path of a folder.` }])
}

type RunStep = (viewer: Viewer, step: Step) => Promise<File>

/** @throws as FilesService.makeFolders */
export async function makeFolders(
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
