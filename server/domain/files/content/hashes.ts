import type { Pool } from 'pg'
import { createContentHash, HASH_ALGORITHMS, type HashAlgorithm } from '../../../lib/contentHash.ts'
import type { ByteSource } from '../../../storage/byteSource.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import { ContentUnavailableError, NotFoundError } from '../../errors.ts'
import type { Contents } from './content.ts'

// The hashes that providers report, of content that this server reads: so that the same content is found in different accounts.

/** Lower-case hex by algorithm. */
export type Hashes = { readonly [Algorithm in HashAlgorithm]?: string }

/**
 * Identifies the content of a file that hashes were computed of, for table aliases `f` (files) and `e` (account_entries, joined
 * from the left).
 */
export const CONTENT_VERSION = `case when f.account_id is null or f.staged_ref is not null then encode(f.sha256, 'hex')
  else concat_ws(' ', f.size, extract(epoch from f.updated_at), e.revision, e.hash) end`

/** As CONTENT_VERSION of a file in an account, but the same after it was only touched there. */
export const CONTENT_IN_PLACE = `coalesce(e.hash, e.revision, to_char(f.updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  || ' ' || f.size`

/** Hashes account, entry and content of a file in an account (64 hex digits), for `f` and `e`: the key of its thumbnails. */
export const IN_PLACE_KEY = `encode(sha256(convert_to(concat_ws(' ', e.account_id, e.ref, ${CONTENT_IN_PLACE}), 'UTF8')), 'hex')`

/** Columns of all known hashes, for `f`, `e` and `h` (content_hashes, joined from the left by HASHES_OF_FILE). */
export const HASH_COLUMNS = `encode(coalesce(f.sha256, h.sha256), 'hex') as sha256, encode(h.dropbox, 'hex') as dropbox,
  encode(h.sha1, 'hex') as sha1, encode(h.md5, 'hex') as md5, encode(h.quickxor, 'hex') as quickxor, e.hash as reported`

export const HASHES_OF_FILE = `h.file_id = f.id and h.version = ${CONTENT_VERSION}`

export type HashRow = { readonly [Algorithm in HashAlgorithm]: string | null } & {
  /** `<algorithm>:<digest>` of the provider. */
  readonly reported: string | null
}

/** What is known of a row of HASH_COLUMNS. */
export function hashesOf(row: HashRow): Hashes {
  const hashes: { [Algorithm in HashAlgorithm]?: string } = {}
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = row[algorithm]
    if (digest !== null) hashes[algorithm] = digest
  }
  const [algorithm, digest] = row.reported?.split(':') ?? []
  const known = HASH_ALGORITHMS.find((one) => one === algorithm)
  if (known && digest) hashes[known] = digest
  return hashes
}

/** All hashes of a content, in one read. `onBytes`: called after each part, with its length. @throws what reading throws, and the signal's reason */
export async function hashContent(
  source: ByteSource,
  signal: AbortSignal,
  onBytes: (bytes: number) => void | Promise<void> = () => {},
): Promise<Required<Hashes>> {
  const hashers = HASH_ALGORITHMS.map((algorithm) => [algorithm, createContentHash(algorithm)] as const)
  let length = 0
  if (source.size > 0) {
    for await (const chunk of source.read(0, source.size - 1) as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      for (const [, hasher] of hashers) hasher.update(chunk)
      length += chunk.length
      await onBytes(chunk.length)
    }
  }
  if (length !== source.size) throw new ContentUnavailableError('The content ended early. Please try again.')
  return Object.fromEntries(hashers.map(([algorithm, hasher]) => [algorithm, hasher.digest()])) as Required<Hashes>
}

/** Also has the sizes of these files checked for duplicates again. */
const SAVE = `with saved as (
    insert into content_hashes (file_id, version, sha256, dropbox, sha1, md5, quickxor)
    select f.id, $2, decode($3, 'hex'), decode($4, 'hex'), decode($5, 'hex'), decode($6, 'hex'), decode($7, 'hex')
    from files f left join account_entries e on e.file_id = f.id where f.id = $1 and ${CONTENT_VERSION} = $2
    on conflict (file_id) do update set version = excluded.version, sha256 = excluded.sha256, dropbox = excluded.dropbox,
      sha1 = excluded.sha1, md5 = excluded.md5, quickxor = excluded.quickxor
    returning file_id)
  insert into unchecked_sizes (user_id, size) select f.user_id, f.size from saved join files f on f.id = saved.file_id`

/** Stores the hashes of a file, unless its content has changed since it had this version. @returns whether they were stored */
export async function saveHashes(
  pool: Pool,
  fileId: string,
  version: string,
  hashes: Required<Hashes>,
): Promise<boolean> {
  const values = [fileId, version, ...HASH_ALGORITHMS.map((algorithm) => hashes[algorithm])]
  const { rowCount } = await pool.query(SAVE, values)
  return rowCount === 1
}

/** Files with bytes in this server's own storage whose hashes are not complete. */
const HERE = `select f.id, encode(f.sha256, 'hex') as version from files f
  where f.id = any($1::uuid[]) and (f.account_id is null or f.staged_ref is not null) and f.kind = 'FILE' and f.size > 0 and f.purged_at is null
    and not exists (select from content_hashes h where h.file_id = f.id and h.version = encode(f.sha256, 'hex') and h.quickxor is not null)
    and (f.staged_ref is not null or exists (
      select from copies c where c.file_id = f.id and c.state = 'STORED' and not exists (
        select from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id and a.provider <> 'local')))
  order by f.id`

/** Computes the hashes of those files among `ids` whose bytes are on this server and that have none yet. */
export async function hashStored(
  { pool, contents }: { readonly pool: Pool; readonly contents: Pick<Contents, 'source'> },
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; version: string }>(HERE, [ids])
  for (const { id, version } of rows) {
    signal.throwIfAborted()
    try {
      const hashes = await hashContent(await contents.source(id), signal)
      // Another hash means that the content was replaced while it was read.
      if (hashes.sha256 === version) await saveHashes(pool, id, version, hashes)
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}

/** It was deleted meanwhile, or cannot be read; then the hashes that its accounts report have to do. */
function isGone(error: unknown): boolean {
  return (
    error instanceof NotFoundError || error instanceof ContentUnavailableError || error instanceof ObjectMissingError
  )
}
