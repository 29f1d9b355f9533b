import { createBatcher, type Outcome } from '../../../lib/concurrency.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { type ExportType, parseExportTypes } from '../../../providers/exportTypes.ts'
import { ContentUnavailableError, NotFoundError } from '../../errors.ts'
import type { File } from '../contract.ts'
import { FILE_COLUMNS, type FileRow, type Queryable, toFile } from '../tree/entries.ts'
import { type ReadableCopy, ShortPartError, WrongBytesError } from './copyStream.ts'
import { type CopyFacts, joinList, lossSql, presentSql, reasonsOf } from './states.ts'

/** A copy that can be read; `present`: all of its accounts were reachable recently. */
export type FoundCopy = ReadableCopy & { readonly present: boolean }

/** Where an account has a file under its own name. */
export type InPlaceContent = {
  readonly accountId: string
  readonly accountName: string
  readonly ref: string
  /** The provider's kind of document, which has no bytes; null for ordinary files. */
  readonly nativeKind: string | null
  /** The formats in which such a document can be exported. */
  readonly exportTypes: readonly ExportType[]
  /** As the index knows it: the provider allows downloading. */
  readonly readable: boolean
  /** The account could be reached recently. */
  readonly present: boolean
  /** The file with the newest protecting copy; null: there is none. */
  readonly protectedBy: string | null
}

/** A file and all places of its bytes. */
export type Content = {
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
export async function findContent(sql: Queryable, id: string): Promise<Content> {
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
export async function findAgain(sql: Queryable, { file: { id, sha256 } }: Content): Promise<Content> {
  if (sha256 === null) return findContent(sql, id)
  const { rows } = await sql.query<Row>({ name: 'files find again', text: `${CONTENT} ${SAME}`, values: [id, sha256] })
  return toContent(rows[0])
}

/** The content that a copy belongs to. @throws NotFoundError */
export async function findContentOfCopy(sql: Queryable, copyId: string): Promise<Content> {
  const text = `${CONTENT} f.id = (select file_id from copies where id = $1)`
  const { rows } = await sql.query<Row>({ name: 'files content of copy', text, values: [copyId] })
  return toContent(rows[0])
}

type FileReasons = Omit<CopyFacts, 'readable'> & {
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

type ReasonsRow = FileReasons & { readonly fileId: string }

/**
 * The error with the reasons, by account, why no copy of a file can be read now; `errors`: current errors by account.
 */
export async function unavailable(
  sql: Queryable,
  fileId: string,
  errors: ReadonlyMap<string, unknown> = new Map(),
): Promise<ContentUnavailableError> {
  const copies = await copiesOf(sql, [fileId])
  return new ContentUnavailableError(messageOf(copies, errors), {
    retryAfterSeconds: retryAfterOf([...errors.values()]),
  })
}

/** The same reasons for many files, from what is stored about their accounts. */
export async function unavailableMessages(sql: Queryable, fileIds: readonly string[]): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const byFile = new Map<string, ReasonsRow[]>(fileIds.map((id) => [id, []]))
  for (const copy of await copiesOf(sql, fileIds)) byFile.get(copy.fileId)?.push(copy)
  return new Map([...byFile].map(([id, copies]) => [id, messageOf(copies, new Map())]))
}

async function copiesOf(sql: Queryable, fileIds: readonly string[]): Promise<ReasonsRow[]> {
  const { rows } = await sql.query<ReasonsRow>(
    `select c.file_id as "fileId", c.state, c.state = 'STORED' and c.suspect_reads > 0 as suspect,
       array_agg(distinct a.name) as names, json_agg(distinct jsonb_build_object('id', a.id, 'name', a.name)) as accounts,
       coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
         filter (where ${lossSql('a')} is not null), '[]') as lost,
       coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
     from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
     where c.file_id = any($1::uuid[]) and c.state <> 'STORING' group by c.id order by c.created_at, c.id`,
    [fileIds],
  )
  return rows
}

function messageOf(copies: readonly FileReasons[], errors: ReadonlyMap<string, unknown>): string {
  const reasons = copies.flatMap((copy) => {
    const known = reasonsOf(copy)
    return known.length > 0 ? known : copy.accounts.flatMap(({ id, name }) => reasonOfError(name, errors.get(id)))
  })
  if (reasons.length === 0) return 'No copy of this file can be read now.'
  return `This file cannot be read now: ${joinList(reasons)}.`
}

/** The shortest wait that an account asked for, in seconds; null when none did. */
export function retryAfterOf(errors: readonly unknown[]): number | null {
  const waits = errors.flatMap((error) => {
    const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
    return ms === undefined ? [] : [ms]
  })
  return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

/** Why an account cannot be read, as the end of a sentence; empty without an error. */
export function reasonOfError(name: string, error: unknown): string[] {
  if (error === undefined) return []
  const code = error instanceof ProviderError ? error.code : null
  if (error instanceof WrongBytesError || error instanceof ShortPartError || code === 'Corrupt') {
    return [`“${name}” sends other bytes than were stored`]
  }
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') return [`“${name}” needs to be connected again`]
  if (code === 'RateLimited') return [`“${name}” asks to wait${waitText(error)}`]
  if (code === 'NotFound') return [`“${name}” does not find it`]
  if (error instanceof ProviderError && error.detail.isFlagged) return [`“${name}” has flagged it as malware or spam`]
  return code === 'Forbidden' ? [`“${name}” refuses access`] : [`“${name}” does not answer`]
}

function waitText(error: unknown): string {
  const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
  if (ms === undefined) return ''
  return ` until ${new Date(Date.now() + ms).toISOString().slice(11, 16)} UTC`
}
