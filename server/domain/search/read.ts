import { setImmediate } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { transaction } from '../../db/pool.ts'
import { foldText } from '../../lib/foldText.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import { ContentUnavailableError, NotFoundError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { CONTENT_IN_PLACE } from '../files/content/hashes.ts'
import { presentSql } from '../files/content/states.ts'
import type { FileCategory } from '../files/contract.ts'
import type { Enqueue, SearchHousekeeping } from '../jobs.ts'

// Reads the documents that triggers have noted in `file_texts`. Several processes can do it at once: each takes single rows.

export type ReadTextsDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly contents: Pick<Contents, 'openVersion'>
  readonly extractText: ExtractText
  /** Called with unexpected errors of single files: the others are read. */
  readonly onError: (error: unknown) => void
}

/** Documents of one job; then other jobs get their turn. */
const READ_TOGETHER = 50
/** A row that a process has taken, and not finished because it ended, is taken again after this time. */
const TAKEN = "interval '3 minutes'"
/** What cannot be read now, because its account is away, is tried again after longer and longer times. */
const MOST_ATTEMPTS = 8
const RETRY = `interval '2 minutes' * power(4, least(attempts - 1, 6))`

type Taken = { readonly fileId: string; readonly dueAt: Date; readonly attempts: number }

const TAKE = `update file_texts set due_at = now() + ${TAKEN}, attempts = attempts + 1 where file_id = (
    select file_id from file_texts where user_id = $1 and due_at <= now() order by due_at, file_id limit 1 for update skip locked)
  returning file_id as "fileId", due_at as "dueAt", attempts`

type Facts = Document & {
  readonly key: Buffer | null
  /** Another file had the same content. */
  readonly isKnown: boolean
  /** Its account cannot be reached now, or asks to wait. */
  readonly isAway: boolean
}

/**
 * Identifies the content of a file for ContentText, for `f` (files) and `e` (account_entries, joined from the left); null while an account
 * does not have the file yet. In accounts, files with the same hash share it.
 */
export const TEXT_KEY = `case when f.account_id is null then f.sha256
  when e.file_id is not null then sha256(convert_to(concat_ws(' ', e.account_id, case when e.hash is null then f.id end, ${CONTENT_IN_PLACE}), 'UTF8')) end`

const FACTS = `select f.name, f.category, f.mime_type as "mimeType", f.size::float8 as size, ${TEXT_KEY} as key,
    exists (select from content_texts t where t.user_id = f.user_id and t.key = ${TEXT_KEY}) as "isKnown",
    a.id is not null and (not ${presentSql('a')} or a.paused_until > now()) as "isAway"
  from files f left join account_entries e on e.file_id = f.id left join accounts a on a.id = f.account_id
  where f.id = $1 and f.user_id = $2 and f.purged_at is null and searches_contents(f.user_id, f.account_id)`

/** Reads what is due, at most so many. @returns whether there may be more */
async function readDue(deps: ReadTextsDeps, userId: string, signal: AbortSignal): Promise<boolean> {
  for (let count = 0; count < READ_TOGETHER; count += 1) {
    signal.throwIfAborted()
    const [taken] = (await deps.pool.query<Taken>(TAKE, [userId])).rows
    if (!taken) return false
    await readOne(deps, userId, taken, signal)
  }
  return true
}

async function readOne(deps: ReadTextsDeps, userId: string, taken: Taken, signal: AbortSignal): Promise<void> {
  const [facts] = (await deps.pool.query<Facts>(FACTS, [taken.fileId, userId])).rows
  if (!facts) return forget(deps.pool, taken)
  const { key, isKnown, isAway } = facts
  // Each time a process ended while it read it.
  if (taken.attempts > MOST_ATTEMPTS) return retry(deps.pool, taken)
  // Its account does not have it yet, or does not answer.
  if (key === null || (isAway && !isKnown)) return postpone(deps.pool, taken, key === null ? 1 : 30)
  try {
    const text = isKnown ? null : await textOf(deps, userId, taken.fileId, facts)
    await transaction(deps.pool, (tx) => keep(tx, userId, taken, key, text))
  } catch (error) {
    if (error instanceof NotFoundError) return forget(deps.pool, taken)
    if (signal.aborted) return postpone(deps.pool, taken, 0)
    const isUnread = error instanceof ContentUnavailableError || error instanceof ObjectMissingError
    if (!isUnread) deps.onError(error)
    await retry(deps.pool, taken)
  }
}

/** Empty: it has none, or cannot be read as what it is. @throws NotFoundError, ContentUnavailableError */
async function textOf(
  { contents, extractText }: ReadTextsDeps,
  userId: string,
  fileId: string,
  facts: Facts,
): Promise<string> {
  const format = formatOf(facts)
  if (format === null) return ''
  const { source, file } = await contents.openVersion({ userId, sessionId: null }, fileId, { original: true })
  // It was replaced since: it is noted again.
  if (source.size !== facts.size) throw new ContentUnavailableError(`“${file.name}” has just got another content.`)
  const made = await extractText({ format, source: neededPart(source, format), limit: MOST_CHARACTERS })
  if ('text' in made) return made.text
  if (made.failure === 'UNREAD') throw new ContentUnavailableError(made.reason)
  return ''
}

/** Not if it was noted again since it was taken. */
const MINE = 'select key from file_texts where file_id = $1 and due_at = $2 for update'
const LOCK = `select pg_advisory_xact_lock(hashtextextended('texts ' || $1, 0))`
const SAME = `select ${TEXT_KEY} = $2 as same from files f left join account_entries e on e.file_id = f.id where f.id = $1`
const KNOWN = 'select from content_texts where user_id = $1 and key = $2'
const DONE = 'update file_texts set key = $2, due_at = null where file_id = $1'
const DROP = `delete from content_texts t where t.user_id = $1 and t.key = $2
  and not exists (select from file_texts x where x.user_id = t.user_id and x.key = t.key)`

/** @param text null: the content has one already */
async function keep(tx: PoolClient, userId: string, taken: Taken, key: Buffer, text: string | null): Promise<void> {
  const mine = await tx.query<{ key: Buffer | null }>(MINE, [taken.fileId, taken.dueAt])
  const [before] = mine.rows
  if (!before) return
  // As the trigger that deletes texts does: so that the text is not deleted before this file refers to it.
  await tx.query(LOCK, [userId])
  const same = await tx.query<{ same: boolean | null }>(SAME, [taken.fileId, key])
  const isKnown = (await tx.query(KNOWN, [userId, key])).rowCount === 1
  // Replaced while it was read, or the file that had the text is gone: it is read again.
  if (!same.rows[0]?.same || (text === null && !isKnown)) return again(tx, taken)
  if (text !== null && !isKnown) await keepText(tx, { userId, key }, text)
  await tx.query(DONE, [taken.fileId, key])
  if (before.key !== null && !before.key.equals(key)) await tx.query(DROP, [userId, before.key])
}

async function again(tx: PoolClient, { fileId }: Taken): Promise<void> {
  await tx.query('update file_texts set due_at = now() where file_id = $1', [fileId])
}

async function retry(pool: Pool, { fileId, dueAt }: Taken): Promise<void> {
  await pool.query(
    `update file_texts set due_at = case when attempts < ${MOST_ATTEMPTS} then now() + ${RETRY} end where file_id = $1 and due_at = $2`,
    [fileId, dueAt],
  )
}

/** Does not count as an attempt. */
async function postpone(pool: Pool, { fileId, dueAt }: Taken, minutes: number): Promise<void> {
  await pool.query(
    `update file_texts set due_at = now() + make_interval(mins => $3), attempts = attempts - 1 where file_id = $1 and due_at = $2`,
    [fileId, dueAt, minutes],
  )
}

/** Deleted, or not searched any more. */
async function forget(pool: Pool, { fileId }: Taken): Promise<void> {
  await pool.query('delete from file_texts where file_id = $1', [fileId])
}

const DUE = `select distinct user_id as "userId" from file_texts where due_at <= now()`
/** Documents whose text is added or removed in one statement. */
const BATCH = 500

const IS_ON = `select searches_contents(a.user_id, case when a.provider <> 'local' then a.id end) as "isOn"
  from accounts a where a.id = $1 and a.user_id = $2`
/** Of one account; $2 null: what Skypool stores. */
const REMOVE = `delete from file_texts where file_id in (
    select x.file_id from file_texts x join files f on f.id = x.file_id
    where x.user_id = $1 and f.account_id is not distinct from $2::uuid limit ${BATCH})`
const ADD = `with page as (
    select f.id, f.native, f.size, f.is_version, f.protected_account_id, f.category from files f
    where f.user_id = $1 and f.account_id is not distinct from $2::uuid and f.kind = 'FILE' and f.purged_at is null and f.id > $3
    order by f.id limit ${BATCH}), added as (
    insert into file_texts (file_id, user_id, due_at) select id, $1, now() from page
    where category in ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') and size > 0 and not native and not is_version
      and protected_account_id is null
    on conflict do nothing)
  select max(id::text) as last from page`
const FIRST = '00000000-0000-0000-0000-000000000000'

export function createSearchHousekeeping(deps: ReadTextsDeps): SearchHousekeeping {
  const { pool, enqueue } = deps
  return {
    async readAll() {
      const { rows } = await pool.query<{ userId: string }>(DUE)
      await transaction(pool, async (tx) => {
        for (const { userId } of rows) await enqueueReading(tx, enqueue, userId)
      })
    },
    async read(userId, signal) {
      const hasMore = await readDue(deps, userId, signal)
      if (hasMore) await transaction(pool, (tx) => enqueueReading(tx, enqueue, userId))
    },
    async follow(userId, accountId, signal) {
      const { rows } = await pool.query<{ isOn: boolean }>(IS_ON, [accountId, userId])
      const [account] = rows
      if (!account) return
      const scope = [userId, (await isLocal(pool, accountId)) ? null : accountId]
      if (account.isOn) await addAll(pool, scope, signal)
      else await removeAll(pool, scope, signal)
      if (account.isOn) await transaction(pool, (tx) => enqueueReading(tx, enqueue, userId))
    },
  }
}

async function isLocal(pool: Pool, accountId: string): Promise<boolean> {
  return (await pool.query(`select from accounts where id = $1 and provider = 'local'`, [accountId])).rowCount === 1
}

async function addAll(pool: Pool, scope: readonly (string | null)[], signal: AbortSignal): Promise<void> {
  for (let last: string | null = FIRST; last !== null; ) {
    signal.throwIfAborted()
    const added: QueryResult<{ last: string | null }> = await pool.query(ADD, [...scope, last])
    last = added.rows[0]?.last ?? null
  }
}

async function removeAll(pool: Pool, scope: readonly (string | null)[], signal: AbortSignal): Promise<void> {
  for (let count = BATCH; count > 0; ) {
    signal.throwIfAborted()
    count = (await pool.query(REMOVE, [...scope])).rowCount ?? 0
  }
}

/** A waiting job of the same user is replaced. */
export async function enqueueReading(tx: Parameters<Enqueue>[0], enqueue: Enqueue, userId: string): Promise<void> {
  await enqueue(tx, 'readTexts', { userId }, { key: `texts ${userId}` })
}

// Texts: what is extracted of which file, and how a text is stored.

/** What a text is extracted by. PLAIN: text itself. OFFICE: Word, Excel, PowerPoint, OpenDocument and books (EPUB). */
export type TextFormat = 'PLAIN' | 'PDF' | 'OFFICE'

/** Extracts text outside of this process (server/thumbnails). */
export type ExtractText = (job: {
  readonly format: TextFormat
  readonly source: Pick<ByteSource, 'size' | 'read'>
  /** Characters (UTF-16 code units) after which the rest is left out. */
  readonly limit: number
}) => Promise<
  { readonly text: string } | { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }
>

/** Of the text of one content. PostgreSQL cannot index much more. */
const MOST_CHARACTERS = 1024 * 1024

const MIB = 1024 * 1024
/** The longest UTF-8 character has four bytes. */
const MOST_PLAIN_BYTES = 4 * MOST_CHARACTERS
/** They are read as a whole. */
const MOST_BYTES = { PDF: 32 * MIB, OFFICE: 64 * MIB } as const

const OFFICE_NAMES = /\.(?:docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|ppsx|potx|odt|ods|odp|ott|ots|otp|epub)$/i
const OFFICE_TYPES = /openxmlformats|opendocument|epub/

type Document = {
  readonly name: string
  readonly category: FileCategory
  readonly mimeType: string | null
  readonly size: number
}

/** How the text of a file is extracted; null: it has none that can be, by its type and size alone. */
function formatOf({ name, category, mimeType, size }: Document): TextFormat | null {
  if (size === 0) return null
  if (category === 'TEXT') return 'PLAIN'
  if (category === 'PDF') return size <= MOST_BYTES.PDF ? 'PDF' : null
  if (category !== 'DOCUMENT' && category !== 'SPREADSHEET' && category !== 'PRESENTATION') return null
  const isOffice = OFFICE_NAMES.test(name) || OFFICE_TYPES.test(mimeType ?? '')
  return isOffice && size <= MOST_BYTES.OFFICE ? 'OFFICE' : null
}

/** Of plain text, its beginning is enough. */
function neededPart({ size, read }: ByteSource, format: TextFormat): Pick<ByteSource, 'size' | 'read'> {
  return { size: format === 'PLAIN' ? Math.min(size, MOST_PLAIN_BYTES) : size, read }
}

/** Characters that are folded at once, while requests wait. */
const PART = 64 * 1024

async function foldInParts(text: string): Promise<string> {
  let folded = ''
  let rest = text
  while (rest !== '') {
    const part = rest.slice(0, PART)
    // Never between the halves of a character.
    const end = rest.length > PART && part.charCodeAt(PART - 1) >>> 10 === 0x36 ? PART - 1 : part.length
    folded += foldText(rest.slice(0, end))
    rest = rest.slice(end)
    await setImmediate()
  }
  return folded
}

const KEEP = `insert into content_texts (user_id, key, text, folded, words) values ($1, $2, $3, $4, to_tsvector('simple', $4))
  on conflict do nothing`

/** The text has more different words than PostgreSQL can index. */
const TOO_MANY_WORDS = '54000'

/** Stores the text of a content, as much of it as can be indexed. */
async function keepText(
  tx: Pick<PoolClient, 'query'>,
  { userId, key }: { readonly userId: string; readonly key: Buffer },
  text: string,
): Promise<void> {
  const folded = await foldInParts(text)
  await tx.query('savepoint before_text')
  try {
    await tx.query(KEEP, [userId, key, text, folded])
  } catch (error) {
    if ((error as { code?: unknown }).code !== TOO_MANY_WORDS) throw error
    await tx.query('rollback to savepoint before_text')
    await keepText(tx, { userId, key }, text.slice(0, text.length / 2).replace(/\p{Cs}/gu, ''))
  }
}
