import type pg from 'pg'
import { newId } from '../../../lib/ids.ts'
import { InvalidInputError, NameTakenError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { File } from '../contract.ts'
import { getFiles, ROOT, requireFile } from './entries.ts'
import { nameKey, takenKeys, validateName } from './names.ts'
import type { Step } from './steps.ts'

/** Far deeper than people nest folders; bounds what one request makes. */
const MOST_NAMES = 100

/**
 * The names of a path: `/Photos/2024/` is Photos and 2024; the slashes at both ends count for nothing.
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
      union all select f.id, walk.depth + 1 from walk join files f on f.user_id = $1
        and coalesce(f.parent_id, '${ROOT}') = walk.id and f.name_key = ($2::text[])[walk.depth + 1]
        and f.trashed_at is null and f.purged_at is null)
    select id from walk where depth = cardinality($2::text[])`,
}

/** @throws NotFoundError, InvalidInputError for the root, which is no entry */
export async function fileByPath(pool: pg.Pool, viewer: Viewer, names: readonly string[]): Promise<File> {
  if (names.length === 0) {
    const message = 'A path names at least one file or folder: the root itself is none.'
    throw new InvalidInputError([{ path: 'path', message }])
  }
  const { rows } = await pool.query<{ id: string }>({ ...WALK, values: [viewer.userId, names.map(nameKey)] })
  const [row] = rows
  if (!row) throw new NotFoundError('There is nothing at this path.')
  return requireFile(pool, viewer, row.id)
}

type Take = (viewer: Viewer, step: Step) => Promise<File>

/** @throws as FilesService.makeFolders */
export async function makeFolders(
  pool: pg.Pool,
  viewer: Viewer,
  parentId: string | null,
  names: readonly string[],
  take: Take,
): Promise<{ id: string | null; made: File[] }> {
  let id = parentId
  const made: File[] = []
  for (const name of names.map(validateName)) {
    const earlier = await namesake(pool, viewer, id, name)
    const { file, isNew } = earlier
      ? { file: earlier, isNew: false }
      : await make(pool, viewer, { name, parentId: id }, take)
    if (file.kind !== 'FOLDER') throw new NameTakenError(file.name)
    if (isNew) made.push(file)
    id = file.id
  }
  return { id, made }
}

/** Somebody else may make it at the same time: then it is that one. */
async function make(
  pool: pg.Pool,
  viewer: Viewer,
  folder: { readonly name: string; readonly parentId: string | null },
  take: Take,
): Promise<{ file: File; isNew: boolean }> {
  try {
    return { file: await take(viewer, { ...folder, kind: 'CREATE', id: newId() }), isNew: true }
  } catch (error) {
    const file = error instanceof NameTakenError ? await namesake(pool, viewer, folder.parentId, folder.name) : null
    if (!file) throw error
    return { file, isNew: false }
  }
}

async function namesake(pool: pg.Pool, viewer: Viewer, parentId: string | null, name: string): Promise<File | null> {
  const key = nameKey(name)
  const id = (await takenKeys(pool, { userId: viewer.userId, parentId }, [key])).get(key)
  return id === undefined ? null : ((await getFiles(pool, viewer, [id]))[0] ?? null)
}
