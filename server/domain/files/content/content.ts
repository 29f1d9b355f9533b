import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createBatcher, type Outcome } from '../../../lib/concurrency.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { parseExportTypes } from '../../../providers/exportTypes.ts'
import { type ByteReader, type ByteSource, type Reading, readRange } from '../../../storage/byteSource.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import type { ObjectStore } from '../../../storage/objectStore.ts'
import { ContentUnavailableError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { ExportedDocument, File } from '../contract.ts'
import { FILE_COLUMNS, type FileRow, type Queryable, toFile } from '../tree/entries.ts'
import { createReadBudget } from './copyStream.ts'
import { exportDocument, type InPlaceContent, openInPlace, type ReportedHash, withoutBytes } from './inPlace.ts'
import { createRemoteReader, type FoundCopy, type RemoteContent, type RemoteDeps } from './remoteReader.ts'
import { presentSql, unavailable } from './states.ts'

/** Longer than the pauses that services ask for, and shorter than the timeout of a browser. */
const STALL_MS = 20_000

export type ContentDeps = Omit<RemoteDeps, 'budget' | 'stallMs'> & Partial<Pick<RemoteDeps, 'budget' | 'stallMs'>>

/**
 * Reads the bytes of files, wherever they are stored. Bytes from a provider are verified by their block sums before
 * they are passed on.
 */
export type Contents = {
  /**
   * Takes one statement if the bytes are on this server.
   * @throws NotFoundError (also for folders), ContentUnavailableError
   */
  open(viewer: Viewer, id: string): Promise<{ file: File; source: ByteSource }>
  /** As open, with what identifies the content. `original`: never from a protecting copy. @throws as open */
  openVersion(viewer: Viewer, id: string, options?: { readonly original?: boolean }): Promise<OpenedVersion>
  /**
   * A native document in another format, by default the usual one of its kind.
   * @throws NotFoundError (also for folders), ConflictError (not a native document, or it cannot be exported), InvalidInputError (not
   * offered in this type), ContentUnavailableError
   */
  export(viewer: Viewer, id: string, type?: string): Promise<ExportedDocument>
  /**
   * Without a viewer, for making copies. `copyId`: the content of this copy, which another row may have by now (FileVersion).
   * @throws as open
   */
  source(fileId: string, copyId?: string): Promise<ByteSource>
}

/** The account as a whole does not answer or has to be connected again: not what it says about one file. */
function isAccountDown(error: unknown): boolean {
  if (!(error instanceof ContentUnavailableError)) return false
  const { cause } = error
  return cause !== undefined && (!(cause instanceof ProviderError) || !['NotFound', 'Forbidden'].includes(cause.code))
}

/** A content, and what identifies it. */
export type OpenedVersion = {
  readonly file: File
  readonly source: ByteSource
  /** Differs for another content of the same file. */
  readonly version: string
  /** What the account calls this version; null where it has no name for it, and outside of accounts. */
  readonly revision: string | null
  /** Of the whole content; null where an account reports none. */
  readonly hash: ReportedHash | null
}

export function createContent(deps: ContentDeps): Contents {
  const remote: RemoteDeps = { budget: createReadBudget(), stallMs: STALL_MS, ...deps }

  const find = createContentFinder(deps.pool)

  const open = async ({ userId }: Viewer, id: string, original = false): Promise<OpenedVersion> =>
    openContent(await find({ userId, id }), original)

  async function openContent(content: Content, original = false): Promise<OpenedVersion> {
    const { file } = content
    if (content.inPlace && file.isNative) throw withoutBytes(file, content.inPlace)
    if (content.inPlace && original) return openInPlace(remote, file, content.inPlace)
    if (content.inPlace) return openProtected(file, content.inPlace)
    return openStored(content)
  }

  /** What the account cannot send now is read from the copy that protects it. */
  async function openProtected(file: File, place: InPlaceContent): Promise<OpenedVersion> {
    const { protectedBy } = place
    if (protectedBy === null) return openInPlace(remote, file, place)
    const openCopy = async (): Promise<OpenedVersion> => {
      const copy = await openStored(await findContent(deps.pool, protectedBy))
      const { size, updatedAt } = copy.file
      return { ...copy, file: { ...file, size, updatedAt } }
    }
    if (!place.present) return openCopy().catch(() => openInPlace(remote, file, place))
    return openInPlace(remote, file, place).catch(async (error: unknown) => {
      if (!isAccountDown(error)) throw error
      return openCopy().catch(() => {
        throw error
      })
    })
  }

  async function openStored(content: Content): Promise<OpenedVersion> {
    const { file } = content
    const { id } = file
    const isEmpty = file.size === 0
    if (!isEmpty && content.stagedRef === null && content.copies.length === 0) throw await unavailable(deps.pool, id)
    const digest = file.sha256
    const hash = digest === null ? null : ({ algorithm: 'sha256', digest } as const)
    const version = digest ?? JSON.stringify([file.size, file.updatedAt])
    return { file, source: isEmpty ? EMPTY : sourceOf(remote, content), version, revision: null, hash }
  }

  return {
    open: (viewer, id) => open(viewer, id),
    openVersion: (viewer, id, options) => open(viewer, id, options?.original),
    async export({ userId }, id, type) {
      const { file, inPlace } = await find({ userId, id })
      return exportDocument(remote, file, inPlace, type)
    },
    async source(fileId, copyId) {
      const content = await (copyId === undefined
        ? findContent(deps.pool, fileId)
        : findContentOfCopy(deps.pool, copyId))
      return (await openContent(content)).source
    },
  }
}

/** Identifies the content of a file for ETags: its SHA-256, or what its account reports of it. Use the file that `open` returns. */
export function contentTagOf({ id, sha256, size, updatedAt, accountId }: File): string {
  if (sha256 !== null || accountId === null) return String(sha256)
  return createHash('sha256')
    .update(JSON.stringify([id, size, updatedAt.getTime()]))
    .digest('base64url')
}

const EMPTY: ByteSource = {
  size: 0,
  read: () => readRange(EMPTY.open, 0, -1),
  open: async () => ({ read: async () => 0, close: async () => undefined }),
}

/** Bytes on this server are read here; if an object was moved meanwhile, the file is looked up again. */
function sourceOf(deps: RemoteDeps, content: Content): ByteSource {
  const { size } = content.file
  const here = localSource(deps, content)

  async function open(reading: Reading = { start: 0, end: size - 1 }): Promise<ByteReader> {
    if (!here) return createRemoteReader(deps, remoteOf(deps, content), reading)
    return here.open(reading).catch(async (error: unknown) => {
      if (!(error instanceof ObjectMissingError)) throw error
      return openElsewhere(deps, await findAgain(deps.pool, content), reading, error)
    })
  }

  const { address } = here ?? {}
  return { size, address, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}

function remoteOf({ pool }: RemoteDeps, content: Content): RemoteContent {
  const { file, userId, copies } = content
  return { file, userId, copies, findCopies: async () => (await findAgain(pool, content)).copies }
}

/** Content that is entirely in this server's own storage. */
function localSource({ storage }: RemoteDeps, { stagedRef, copies, file }: Content): ByteSource | null {
  if (stagedRef !== null) return storage.open(stagedRef, file.size)
  const parts = copies.find((copy) => copy.parts.every(({ local }) => local))?.parts
  return parts ? joinPieces(storage, parts, file.size) : null
}

/** Called after an object of this server was missing. @throws the error when there is no other place */
async function openElsewhere(
  deps: RemoteDeps,
  content: Content,
  reading: Reading,
  error: ObjectMissingError,
): Promise<ByteReader> {
  const copies = content.copies.filter(({ parts }) => parts.some(({ local }) => !local))
  if (copies.length > 0) return createRemoteReader(deps, { ...remoteOf(deps, content), copies }, reading)
  // A transfer has just stored it in its account.
  if (content.inPlace) return (await openInPlace(deps, content.file, content.inPlace)).source.open(reading)
  const here = localSource(deps, content)
  if (!here) throw error
  return here.open(reading)
}

/** Where a range of a file's bytes is. */
export type StoredPiece = { readonly ref: string; readonly offset: number; readonly size: number }

type Storage = Pick<ObjectStore, 'open'>

/** The pieces, in their order, as one content. */
function joinPieces(storage: Storage, pieces: readonly StoredPiece[], size: number): ByteSource {
  const [first] = pieces
  if (first && pieces.length === 1) return storage.open(first.ref, size)
  return {
    size,
    read: (start, end) => Readable.from(chunksOf(storage, pieces, start, end), { objectMode: false }),
    open: async () => createPiecesReader(storage, pieces),
  }
}

/** Reads the pieces that the range overlaps, one after the other; one is open at a time. */
async function* chunksOf(
  storage: Storage,
  pieces: readonly StoredPiece[],
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (const { ref, offset, size } of pieces) {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, size - 1)
    if (from <= to) yield* storage.open(ref, size).read(from, to) as AsyncIterable<Buffer>
  }
}

/** Keeps the last read piece open. */
function createPiecesReader(storage: Storage, pieces: readonly StoredPiece[]): ByteReader {
  let current: { readonly piece: StoredPiece; readonly reader: ByteReader } | undefined

  async function readerOf(piece: StoredPiece): Promise<ByteReader> {
    if (current?.piece === piece) return current.reader
    await current?.reader.close()
    current = undefined
    current = { piece, reader: await storage.open(piece.ref, piece.size).open() }
    return current.reader
  }

  return {
    async read(target, position) {
      const piece = pieces.find(({ offset, size }) => offset <= position && position < offset + size)
      if (!piece) throw new Error('The pieces of a file are shorter than its size.')
      const reader = await readerOf(piece)
      return reader.read(target.subarray(0, piece.offset + piece.size - position), position - piece.offset)
    },
    close: async () => current?.reader.close(),
  }
}

// Finding a content: its file, and all places of its bytes.

/** A file and all places of its bytes. */
type Content = {
  readonly file: File
  readonly userId: string
  readonly stagedRef: string | null
  /** In the order in which they are tried. */
  readonly copies: readonly FoundCopy[]
  /** Set for a file that an account has under its own name; then there are no copies. */
  readonly inPlace: InPlaceContent | null
}

type Row = FileRow & {
  readonly user_id: string
  readonly staged_ref: string | null
  readonly copies: FoundCopy[] | null
  readonly in_place: (Omit<InPlaceContent, 'exportTypes'> & { readonly exportTypes: string | null }) | null
}

/** The bit of reading in `account_entries.rights` (server/domain/inPlace/entries.ts). */
const READ = 1

/**
 * A copy on this server comes first: it costs no request. Copies that were read with wrong bytes come later, and last
 * those that an account did not find: both may have recovered.
 */
const CONTENT_COLUMNS = `${FILE_COLUMNS}, f.user_id, f.staged_ref, (
    select json_agg(json_build_object('id', c.id, 'present', p.present, 'parts', p.parts, 'suspectBlock', c.suspect_block)
      order by c.state = 'STORED' desc, c.suspect_since is null desc, p.local desc, p.present desc, c.created_at, c.id)
    from copies c cross join lateral (
      select bool_and(${presentSql('a')}) as present, bool_and(a.provider = 'local') as local,
        bool_and(p.state = 'STORED' and a.status = 'CONNECTED' and a.disconnected_at is null) as readable,
        bool_or(p.missing_since is not null) as unseen,
        json_agg(json_build_object('id', p.id, 'accountId', p.account_id, 'local', a.provider = 'local',
          'ref', p.object_ref, 'offset', p.offset, 'size', p.size, 'hash', p.hash, 'unseen', p.missing_since is not null) order by p.index) as parts
      from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id) p
    where c.file_id = f.id and (c.state = 'STORED' or c.state = 'MISSING' and p.unseen) and p.readable) as copies,
    case when f.account_id is not null then (
      select json_build_object('accountId', e.account_id, 'accountName', a.name, 'ref', e.ref, 'nativeKind', e.native_kind,
        'exportTypes', e.export_types, 'readable', e.rights & ${READ} <> 0, 'present', ${presentSql('a')}, 'protectedBy', (
          select v.content_id from protected_versions v join files c on c.id = v.content_id and c.purged_at is null
          where v.file_id = e.file_id order by v.ended_at desc nulls first limit 1))
      from account_entries e join accounts a on a.id = e.account_id where e.file_id = f.id) end as in_place`

const HAS_CONTENT = `f.kind = 'FILE' and f.purged_at is null`

const CONTENT = `select ${CONTENT_COLUMNS} from files f where ${HAS_CONTENT} and `

/** Any user's file, for jobs. @throws NotFoundError, also for folders */
async function findContent(sql: Queryable, id: string): Promise<Content> {
  const { rows } = await sql.query<Row>({ name: 'files content', text: `${CONTENT} f.id = $1`, values: [id] })
  return toContent(rows[0])
}

/** Maximum number of files per statement. */
const BATCH = 100

/**
 * Runs for every download. The condition on `at` is for the planner, as in the statement that finds sessions: it estimates one row for
 * it whatever the number of files, so the generic plan is kept.
 */
const OPEN = {
  name: 'files open',
  text: `select asked.at::int, ${CONTENT_COLUMNS}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as asked(user_id, file_id, at)
    join files f on f.id = asked.file_id and f.user_id = asked.user_id
    where asked.at between 1 and ${BATCH} and ${HAS_CONTENT}`,
}

type Asked = { readonly userId: string; readonly id: string }

/** Finds files of users. Downloads that begin together share one statement. The function rejects with NotFoundError, also for folders. */
export function createContentFinder(sql: Queryable): (asked: Asked) => Promise<Content> {
  return createBatcher({
    limit: BATCH,
    async run(asked: readonly Asked[]): Promise<Outcome<Content>[]> {
      const values = [asked.map(({ userId }) => userId), asked.map(({ id }) => id)]
      const { rows } = await sql.query<Row & { readonly at: number }>({ ...OPEN, values })
      const found = new Map(rows.map((row) => [row.at, row]))
      return asked.map((_, index) => {
        const row = found.get(index + 1)
        return row ? { ok: true, value: toContent(row) } : { ok: false, error: new NotFoundError() }
      })
    },
  })
}

function toContent(row: Row | undefined): Content {
  if (!row) throw new NotFoundError()
  return {
    file: toFile(row),
    userId: row.user_id,
    stagedRef: row.staged_ref,
    copies: row.copies ?? [],
    inPlace: row.in_place && { ...row.in_place, exportTypes: parseExportTypes(row.in_place.exportTypes) },
  }
}

/** The row that has the content now: the file, or one of its versions. */
const SAME = `f.id = (select o.id from files o, (
      select id, case when is_version then parent_id else id end as root from files where id = $1) given
    where (o.id = given.id or o.id = given.root or o.parent_id = given.root) and o.kind = 'FILE' and o.purged_at is null
      and encode(o.sha256, 'hex') = $2 order by o.id = given.id desc, o.id limit 1)`

/** All places of the same content, read again: the file may have been given another one since. @throws NotFoundError */
async function findAgain(sql: Queryable, { file: { id, sha256 } }: Content): Promise<Content> {
  if (sha256 === null) return findContent(sql, id)
  const { rows } = await sql.query<Row>({ name: 'files find again', text: `${CONTENT} ${SAME}`, values: [id, sha256] })
  return toContent(rows[0])
}

/** The content that a copy belongs to. @throws NotFoundError */
async function findContentOfCopy(sql: Queryable, copyId: string): Promise<Content> {
  const text = `${CONTENT} f.id = (select file_id from copies where id = $1)`
  const { rows } = await sql.query<Row>({ name: 'files content of copy', text, values: [copyId] })
  return toContent(rows[0])
}
