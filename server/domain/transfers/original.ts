import type { Pool } from 'pg'
import type { Call, CopyProgress, Driver, Entry, EntryRef, NewEntry } from '../../providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/errors.ts'
import { isSame } from '../files/content/seenObjects.ts'
import type { PieceContent } from './pieceContent.ts'
import type { PieceWork, TransferWork } from './work.ts'

/** A verified object that is a file as a whole, with the bytes that are to be stored. */
export type Original = {
  readonly ref: EntryRef
  readonly size: number
  /** `<algorithm>:<digest>`; null where its service reports none. */
  readonly hash: string | null
}

const FIND = {
  name: 'transfers-find-original',
  text: `select p.object_ref as ref, p.size::float8 as size, p.hash
    from files f join files o on o.id = f.copied_from and o.user_id = f.user_id and o.size = f.size and o.sha256 = f.sha256
        and o.purged_at is null
      join copies c on c.file_id = o.id and c.state = 'STORED' and c.suspect_since is null
      join pieces p on p.copy_id = c.id and p.account_id = $2 and p.state = 'STORED' and p.object_ref is not null
        and p.size = f.size and p.missing_since is null and p.changed_at is null
    where f.id = $1 limit 1`,
}

/** The object that a piece can be copied from within its account; null where its bytes have to be sent. */
export async function findOriginal(
  pool: Pool,
  work: TransferWork,
  piece: PieceWork,
  driver: Driver,
): Promise<Original | null> {
  const isWhole = work.pieces.length === 1 && piece.size === work.fileSize && piece.size > 0
  if (!driver.copy || !work.isCopied || !isWhole) return null
  const { rows } = await pool.query<Original>({ ...FIND, values: [work.fileId, piece.accountId] })
  return rows[0] ?? null
}

/**
 * Lets the service copy the original, unless that is not what it was any more.
 * @throws ProviderError; NotFound too where the original has changed, or where the service cannot copy
 */
export async function copyOriginal(
  driver: Driver,
  call: Call,
  { original, entry, content }: { original: Original; entry: NewEntry; content: PieceContent },
  save: CopyProgress['save'],
): Promise<Entry> {
  const { capabilities, copy, kind } = driver
  const seen = await driver.stat(call, original.ref)
  if (!copy || !isSame(original, seen, capabilities.hash)) {
    throw new ProviderError('NotFound', { provider: kind, operation: 'copy' }, { message: 'It is another object now.' })
  }
  return copy(call, original.ref, entry, { hash: await content.digest(), save })
}

const SENT_INSTEAD: ReadonlySet<ProviderErrorCode> = new Set(['NotFound', 'Forbidden', 'Permanent', 'Corrupt'])

/** Whether the bytes are to be sent, as the service will not copy them, or copied others. */
export function isSentInstead({ code }: ProviderError): boolean {
  return SENT_INSTEAD.has(code)
}
