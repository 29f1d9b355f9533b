import type { Pool } from 'pg'
import { transaction } from '../../db/transaction.ts'
import { ConflictError, InvalidInputError, NotFoundError, UploadIncompleteError } from '../errors.ts'
import { findUpload, type UploadRow } from './rows.ts'

// Parts of an upload (tus concatenation). Each keeps its bytes and its room until their whole has become a file; then it counts
// as done as well, so that repeating the request finds the whole.

/** The whole of parts and those that other requests may be putting together from them now: one commits, the others are refused. */
const LOCK_WHOLES = `select from uploads where file_id is null
  and (id = $1 or id in (select final_id from uploads where id = any($2::uuid[]))) order by id for update`
const CLAIM = `update uploads set final_id = $1, expires_at = now() + interval '24 hours'
  where id = any($2::uuid[]) and concat = 'partial' and file_id is null`

/** In the order asked. @throws NotFoundError, InvalidInputError for what is no part or is named twice */
export async function findParts(pool: Pool, userId: string, ids: readonly string[]): Promise<UploadRow[]> {
  if (new Set(ids).size < ids.length) throw refusal('Each part can be used once.')
  const rows: UploadRow[] = []
  for (const id of ids) {
    const row = await findUpload(pool, userId, id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error
      throw new NotFoundError('A part of this upload does not exist, or it has expired. Please send it again.')
    })
    if (row.concat !== 'partial') throw refusal('Only uploads that were created as partial can be put together.')
    rows.push(row)
  }
  return rows
}

/** The upload that parts have become a file in; null while they are unused. @throws ConflictError when it is not one for all of them */
export function wholeOf(parts: readonly UploadRow[]): string | null {
  const wholes = new Set(parts.map(({ file_id, final_id }) => (file_id ? final_id : null)))
  const [whole = null] = wholes
  if (wholes.size > 1) throw new ConflictError('A part has been used for another upload already.')
  return whole
}

/** The bytes of all of them. @throws UploadIncompleteError */
export async function sizeOfParts(
  parts: readonly UploadRow[],
  offsetOf: (part: UploadRow) => Promise<number>,
): Promise<number> {
  let sum = 0
  for (const part of parts) {
    const offset = await offsetOf(part)
    if (offset !== part.size) {
      throw new UploadIncompleteError(`A part has only ${offset} of ${part.size ?? 'an unknown number of'} bytes.`)
    }
    sum += offset
  }
  return sum
}

/** Makes `id` the whole of these parts; another one that was begun with them is refused when it commits. @throws ConflictError */
export async function claimParts(pool: Pool, id: string, parts: readonly UploadRow[]): Promise<UploadRow> {
  const ids = parts.map((part) => part.id)
  const userId = parts[0]?.user_id ?? ''
  return transaction(pool, async (client) => {
    await client.query(LOCK_WHOLES, [id, ids])
    const upload = await findUpload(client, userId, id)
    const { rowCount } = await client.query(CLAIM, [id, ids])
    if (rowCount !== ids.length) throw new ConflictError('A part has been used for another upload already.')
    return upload
  })
}

function refusal(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'upload-concat', message }])
}
