import { newId } from '../../lib/ids.ts'
import type { Call, Driver, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { type ByteSource, sourceOfBytes } from '../../storage/byteSource.ts'
import { ContentUnavailableError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { IN_PLACE_KEY } from '../files/content/hashes.ts'
import { presentSql, reasonOfError, retryAfterOf } from '../files/content/states.ts'
import type { File } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, type Queryable, toFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'
import { type Kind, MAX_READ_BYTES, neededPart } from './kinds.ts'

export type InPlaceDeps = {
  readonly contents: Pick<Contents, 'openVersion'>
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
}

/** Where the content of a file in an account is, and which one it is. */
export type PlacedContent = {
  readonly file: File
  readonly accountId: string
  readonly accountName: string
  readonly provider: string
  readonly ref: string
  /** Identifies account, entry and revision: 64 hex digits. */
  readonly key: string
  /** The account could be reached recently. */
  readonly present: boolean
  /** Seconds of a pause that the account asked for; null: it did not. */
  readonly pausedSeconds: number | null
}

const PLACES = {
  name: 'thumbnails in place',
  text: `select ${FILE_COLUMNS}, e.account_id as "accountId", a.name as "accountName", a.provider, e.ref, ${IN_PLACE_KEY} as key,
      ${presentSql('a')} as present,
      case when a.paused_until > now() then ceil(extract(epoch from a.paused_until - now()))::int end as "pausedSeconds"
    from files f join account_entries e on e.file_id = f.id join accounts a on a.id = e.account_id
    where f.user_id = $1 and f.id = any($2::uuid[]) and f.kind = 'FILE' and f.account_id is not null and f.purged_at is null`,
}

/** By file; without files that are not in an account under their own name. */
export async function placesOf(
  sql: Queryable,
  { userId }: Viewer,
  ids: readonly string[],
): Promise<Map<string, PlacedContent>> {
  const { rows } = await sql.query<FileRow & Omit<PlacedContent, 'file'>>({ ...PLACES, values: [userId, ids] })
  return new Map(
    rows.map((row) => {
      const { accountId, accountName, provider, ref, key, present, pausedSeconds } = row
      return [row.id, { file: toFile(row), accountId, accountName, provider, ref, key, present, pausedSeconds }]
    }),
  )
}

/** The picture to ask for: the largest thumbnail is made of it. */
const SIDE = 640
const TIMEOUT_MS = 20_000
/** The longest wait (ms) that an account may ask for: a whole screen of pictures waits. */
const PATIENCE_MS = 1_000
type Original = { readonly kind: Kind; readonly source: Pick<ByteSource, 'size' | 'read'> }

/**
 * What the thumbnails of a file in an account are drawn from: the picture that its service has made, or the content of a small file. Of
 * texts, always the content: what services draw of it differs.
 * @param isDrawn the content can be drawn here @returns null: there is none, at least now
 * @throws ContentUnavailableError while the account is away or asks to wait, and the signal's reason
 */
export async function originalOf(
  deps: InPlaceDeps,
  viewer: Viewer,
  place: PlacedContent,
  { kind, isDrawn, signal }: { kind: Kind; isDrawn: boolean; signal: AbortSignal },
): Promise<Original | null> {
  requireReady(place)
  const { file } = place
  const made = kind === 'TEXT' ? null : await askService(deps, place, signal)
  if (made !== null) return { kind: 'IMAGE', source: sourceOfBytes(made) }
  if (!isDrawn) return null
  const { source } = await deps.contents.openVersion(viewer, file.id, { original: true })
  // It was replaced since it was indexed.
  if (source.size === 0 || source.size > MAX_READ_BYTES) return null
  return { kind, source: neededPart(source, kind) }
}

function requireReady({ accountName, present, pausedSeconds }: PlacedContent): void {
  if (!present) throw new ContentUnavailableError(`“${accountName}” cannot be reached now.`)
  if (pausedSeconds === null) return
  throw new ContentUnavailableError(`“${accountName}” asks to wait.`, { retryAfterSeconds: pausedSeconds })
}

/** What says something about this file's picture alone. */
const NO_PICTURE: readonly ProviderError['code'][] = ['Forbidden', 'Permanent', 'TooLarge']

async function askService(deps: InPlaceDeps, place: PlacedContent, signal: AbortSignal): Promise<Buffer | null> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const call: Call = { signal: AbortSignal.any([signal, timeout]), requestId: newId(), patienceMs: PATIENCE_MS }
  try {
    const driver = await deps.openDriver(place.accountId)
    if (!driver.thumbnail) return null
    // Only refs that this driver has issued are stored.
    const picture = await driver.thumbnail(call, place.ref as EntryRef, SIDE)
    deps.report.worked(place.accountId)
    return picture
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ProviderError) {
      deps.report.failed(place.accountId, error)
      if (NO_PICTURE.includes(error.code)) return null
    } else if (!timeout.aborted) throw error
    const reason = reasonOfError(place.accountName, error)[0] ?? `“${place.accountName}” does not answer`
    throw new ContentUnavailableError(`There is no thumbnail now: ${reason}.`, {
      retryAfterSeconds: retryAfterOf([error]),
      cause: error,
    })
  }
}
