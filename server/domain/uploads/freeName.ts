import type { ClientBase } from 'pg'
import { nameKey, numberedName } from '../files/names.ts'

const TAKEN = `select name_key from files
  where user_id = $1 and coalesce(parent_id, '00000000-0000-0000-0000-000000000000') =
    coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') and name_key = any($3::text[])
    and trashed_at is null and purged_at is null`

const FIRST = 2
const PROBES = 32

/**
 * The name with a number that nothing live in the folder has: the lowest, while there are few. With many namesakes the
 * number is found by doubling and halving, so that the ten-thousandth costs a few index lookups and not ten thousand.
 */
export async function freeName(
  client: ClientBase,
  userId: string,
  parentId: string | null,
  name: string,
): Promise<string> {
  const firstFree = async (numbers: readonly number[]) => {
    const keys = numbers.map((number) => nameKey(numberedName(name, number)))
    const { rows } = await client.query<{ name_key: string }>(TAKEN, [userId, parentId, keys])
    const taken = new Set(rows.map((row) => row.name_key))
    return numbers.find((_, index) => !taken.has(keys[index] ?? ''))
  }
  const low = await firstFree(Array.from({ length: PROBES }, (_, index) => FIRST + index))
  if (low !== undefined) return numberedName(name, low)

  let free = (await firstFree(Array.from({ length: 26 }, (_, index) => 64 * 2 ** index))) ?? 2 ** 40
  let taken = Math.max(FIRST + PROBES - 1, free / 2)
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if ((await firstFree([middle])) === undefined) taken = middle
    else free = middle
  }
  return numberedName(name, free)
}
