import type { FileKind } from '../services.ts'
import type { Queryable } from './lookup.ts'
import { nameKey, numberedName } from './names.ts'
import { ROOT } from './rows.ts'

const FIRST = 2
const PROBES = 32
/** Where doubling begins, and how often: far more namesakes than a folder can have. */
const DOUBLING_FROM = 64
const DOUBLINGS = 26

/** Where a name is looked for. `claimed` are keys that are spoken for beside those in the folder. */
export type NameSpace = {
  readonly userId: string
  readonly parentId: string | null
  readonly claimed?: ReadonlySet<string>
}

/** Which live entries of a folder have these keys: key to id. */
export async function takenKeys(
  sql: Queryable,
  { userId, parentId }: NameSpace,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ name_key: string; id: string }>(
    `select name_key, id from files where user_id = $1 and coalesce(parent_id, '${ROOT}') = $2::uuid
     and name_key = any($3::text[]) and trashed_at is null and purged_at is null`,
    [userId, parentId ?? ROOT, keys],
  )
  return new Map(rows.map((row) => [row.name_key, row.id]))
}

export type NamePlace = { readonly parentId: string | null; readonly key: string }

/** One text for a name's key in one folder. */
export function placeKey({ parentId, key }: NamePlace): string {
  return `${parentId ?? ROOT} ${key}`
}

/** As takenKeys, of keys in several folders: `placeKey` to id. */
export async function takenPlaces(
  sql: Queryable,
  userId: string,
  places: readonly NamePlace[],
): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ parent_id: string | null; name_key: string; id: string }>({
    name: 'files taken places',
    // One look at the unique index for each; as a join it could become a scan of all that is in the folders.
    text: `select found.parent_id, found.name_key, found.id from unnest($2::uuid[], $3::text[]) as p(parent_id, name_key),
      lateral (select f.parent_id, f.name_key, f.id from files f
        where f.user_id = $1 and coalesce(f.parent_id, '${ROOT}') = p.parent_id and f.name_key = p.name_key
          and f.trashed_at is null and f.purged_at is null limit 1) as found`,
    values: [userId, places.map(({ parentId }) => parentId ?? ROOT), places.map(({ key }) => key)],
  })
  return new Map(rows.map((row) => [placeKey({ parentId: row.parent_id, key: row.name_key }), row.id]))
}

/**
 * The name with a number that nothing live in the folder has: the lowest, while there are few. With many namesakes the
 * number is found by doubling and halving, so that the ten-thousandth costs a few index lookups and not ten thousand.
 */
export async function freeName(sql: Queryable, space: NameSpace, name: string, kind: FileKind): Promise<string> {
  const firstFree = async (numbers: readonly number[]) => {
    const keys = numbers.map((number) => nameKey(numberedName(name, number, kind)))
    const taken = await takenKeys(sql, space, keys)
    return numbers.find((_, index) => !taken.has(keys[index] ?? '') && !space.claimed?.has(keys[index] ?? ''))
  }
  const low = await firstFree(Array.from({ length: PROBES }, (_, index) => FIRST + index))
  if (low !== undefined) return numberedName(name, low, kind)

  const doublings = Array.from({ length: DOUBLINGS }, (_, index) => DOUBLING_FROM * 2 ** index)
  let free = (await firstFree(doublings)) ?? DOUBLING_FROM * 2 ** DOUBLINGS
  let taken = free === DOUBLING_FROM ? FIRST + PROBES - 1 : free / 2
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if ((await firstFree([middle])) === undefined) taken = middle
    else free = middle
  }
  return numberedName(name, free, kind)
}
