import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { FairSemaphore } from '../../lib/concurrency.ts'
import { foldText } from '../../lib/foldText.ts'
import { InvalidInputError, NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { File, FileCategory, ListFiles } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, toFile } from '../files/tree/entries.ts'
import {
  cursorOf,
  listConditions,
  type Order,
  orderOf,
  type Place,
  placeOf,
  placeSql,
  type Statement,
} from '../files/tree/listing.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'
import { enqueueReading, TEXT_KEY } from './read.ts'

/** A part of an excerpt: `isMatch` of what was searched for. */
export type ExcerptPart = { readonly text: string; readonly isMatch: boolean }

/** A file whose text contains the words. */
export type ContentMatch = {
  readonly file: File
  readonly cursor: string
  /** Plain text around a place with the words, in parts; at least one. */
  readonly excerpt: readonly ExcerptPart[]
}

/** As in a list of files; the order is always MODIFIED, newest first. */
type FindContents = Pick<
  ListFiles,
  | 'categories'
  | 'groupCloudId'
  | 'provider'
  | 'accountId'
  | 'tagId'
  | 'home'
  | 'minSize'
  | 'maxSize'
  | 'modifiedAfter'
  | 'modifiedBefore'
  | 'states'
> & {
  readonly view: Exclude<ListFiles['view'], 'TRASH'>
  /**
   * Words that all have to be in the text, ignoring case and accents. The last one may be the beginning of a longer word; words in
   * quotation marks have to follow each other.
   */
  readonly query: string
  /** 1 to 200. */
  readonly limit: number
  /** Cursor: only matches after it. @throws InvalidInputError when it is not a cursor of this list */
  readonly after?: string | undefined
}

export type ContentMatches = {
  readonly items: readonly ContentMatch[]
  readonly hasNextPage: boolean
  /** Documents of the viewer that are still to be read: matches may be missing. */
  readonly isReading: boolean
}

export interface SearchService {
  /**
   * Searches the text inside of files: of all that Skypool stores, and of accounts where the user has turned that on. Never in the trash and
   * in earlier versions, and only in the present content.
   * @throws InvalidInputError for a query without a word, NotFoundError
   */
  find(viewer: Viewer, options: FindContents): Promise<ContentMatches>
  /** Turns `Account.searchContents` on or off. Off deletes the texts; on reads all documents. @throws NotFoundError */
  setAccount(viewer: Viewer, accountId: string, isOn: boolean): Promise<void>
}

export type SearchDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly events: Pick<Events, 'publish'>
  /** Limits reads that may take long, per user. */
  readonly turns: FairSemaphore
}

const SET = `update accounts set search_contents = $3, updated_at = now()
  where id = $1 and user_id = $2 and disconnected_at is null`

export function createSearchService({ pool, enqueue, events, turns }: SearchDeps): SearchService {
  return {
    find: (viewer, options) => turns(viewer.userId, () => findContents(pool, viewer, options)),
    async setAccount({ userId }, accountId, isOn) {
      await transaction(pool, async (tx) => {
        const { rowCount } = await tx.query(SET, [accountId, userId, isOn])
        if (rowCount === 0) throw new NotFoundError()
        await enqueue(tx, 'followSearch', { userId, accountId }, { key: `search ${accountId}` })
      })
      events.publish('accountsChanged', userId, { accountIds: [accountId] })
    },
  }
}

const DOCUMENTS: ReadonlySet<FileCategory> = new Set(['TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION'])

/** New files are read this long after the first of them, all together. */
const PAUSE_MS = 500

/**
 * Has the documents of a user read soon after one was stored. What is missed, because this process ends, is found by a job every
 * minute.
 */
export function createReadingWake({
  pool,
  enqueue,
  onError,
}: Pick<SearchDeps, 'pool' | 'enqueue'> & { readonly onError: (error: unknown) => void }) {
  const waiting = new Set<string>()
  return ({ userId }: Pick<Viewer, 'userId'>, { category }: Pick<File, 'category'>): void => {
    if (!DOCUMENTS.has(category) || waiting.has(userId)) return
    waiting.add(userId)
    setTimeout(() => {
      waiting.delete(userId)
      if (pool.ending) return
      transaction(pool, (tx) => enqueueReading(tx, enqueue, userId)).catch(onError)
    }, PAUSE_MS).unref()
  }
}

type MatchRow = FileRow & { readonly sort_key: string; readonly key: Buffer }

/**
 * Contents with the words that are all read and sorted; with more of them, documents are read from the newest one on until there is a
 * page of matches.
 */
const MOST_SORTED = 4_000

const ESTIMATE = {
  name: 'search estimate',
  text: `select count_texts($1, to_tsquery('simple', $2)) as estimate`,
}

const READING = {
  name: 'search reading',
  text: `select exists (select from file_texts where user_id = $1 and due_at < now() + interval '1 hour') as reading`,
}

/** @throws InvalidInputError, NotFoundError */
export async function findContents(pool: Pool, viewer: Viewer, options: FindContents): Promise<ContentMatches> {
  const query = parseTextQuery(options.query)
  const order = orderOf({ view: options.view, limit: 0, sort: { field: 'MODIFIED', direction: 'DESC' } }, false)
  const after = options.after === undefined ? null : placeOf(order, options.after, 'after')
  const { rows: estimates } = await pool.query<{ estimate: number }>({
    ...ESTIMATE,
    values: [viewer.userId, query.tsquery],
  })
  const isFrequent = (estimates[0]?.estimate ?? 0) > MOST_SORTED
  const { rows } = await pool.query<MatchRow>(matchStatement(viewer, options, { query, order, after, isFrequent }))
  const page = rows.slice(0, options.limit)
  const excerpts = await excerptsOf(pool, viewer, query, page)
  const { rows: reading } = await pool.query<{ reading: boolean }>({ ...READING, values: [viewer.userId] })
  return {
    items: page.map((row) => ({
      file: toFile(row),
      cursor: cursorOf(order, row),
      excerpt: excerpts.get(row.key.toString('hex')) ?? [],
    })),
    hasNextPage: rows.length > page.length,
    isReading: reading[0]?.reading ?? false,
  }
}

/** Accounts where it is turned on, and what Skypool stores unless that is turned off. */
const SEARCHED = `(f.account_id = any(array(select a.id from accounts a
      where a.user_id = $1 and a.search_contents and a.provider <> 'local' and a.disconnected_at is null))
    or f.account_id is null and not exists (select from accounts a where a.user_id = $1 and a.provider = 'local' and a.search_contents = false))`

const MATCHES = `t.user_id = $1 and t.text <> '' and t.words @@ to_tsquery('simple', $2)`

type Plan = {
  readonly query: TextQuery
  readonly order: Order
  readonly after: Place | null
  readonly isFrequent: boolean
}

/** The query of a page, with one row more than requested. Exported for the tests of its plan. */
export function matchStatement(
  viewer: Viewer,
  options: FindContents,
  { query, order, after, isFrequent }: Plan,
): Statement {
  const values: unknown[] = [viewer.userId, query.tsquery]
  const bind = (value: unknown) => `$${values.push(value)}`
  const { query: _query, after: _after, ...list } = options
  const conditions = [
    ...['f.user_id = $1', 'f.purged_at is null', 'not f.is_version', "f.kind = 'FILE'", SEARCHED],
    "f.category in ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION')",
    ...listConditions(list, bind),
    ...(after ? [placeSql(order, after, bind)] : []),
  ].join(' and ')
  const page = `order by f.updated_at desc, f.id desc limit ${bind(options.limit + 1)}`
  const columns = `${FILE_COLUMNS}, f.sort_key`
  // What was read last must be what the file has now.
  const isPresent = `x.key = ${TEXT_KEY}`
  if (isFrequent) {
    // The subquery is planned on its own: together, all contents with the words would be read and sorted.
    const text = `select ${columns}, found.key from files f cross join lateral (
        select x.key from file_texts x join content_texts t on t.user_id = $1 and t.key = x.key
          left join account_entries e on e.file_id = f.id
        where x.file_id = f.id and x.user_id = $1 and ${isPresent} and ${MATCHES} offset 0) found
      where ${conditions} ${page}`
    return { text, values }
  }
  const text = `with found as materialized (select t.key from content_texts t where ${MATCHES})
    select ${columns}, found.key from found join file_texts x on x.user_id = $1 and x.key = found.key
      join files f on f.id = x.file_id left join account_entries e on e.file_id = f.id
    where ${isPresent} and ${conditions} ${page}`
  return { text, values }
}

/** Characters of a text among which an excerpt is chosen, and those of them before the first place of the word. */
const WINDOW = 600
const BEFORE = 150

/** Folded text has no brackets, so they can mark words in it. */
const EXCERPTS = {
  name: 'search excerpts',
  text: `select encode(t.key, 'hex') as key, substr(t.text, w.start, ${WINDOW}) as text,
      ts_headline('simple', substr(t.folded, w.start, ${WINDOW}), to_tsquery('simple', $2),
        'StartSel=[, StopSel=], MaxFragments=1, maxwords=28, minwords=14, ShortWord=0') as headline
    from content_texts t cross join lateral (
      select greatest(strpos(' ' || t.folded, ' ' || $3) - ${BEFORE}, 1) as start) w
    where t.user_id = $1 and t.key = any($4::bytea[])`,
}

type ExcerptRow = { readonly key: string; readonly text: string; readonly headline: string }

/** By the key of the content, in hex. */
async function excerptsOf(
  pool: Pool,
  { userId }: Viewer,
  { tsquery, anchor }: TextQuery,
  rows: readonly Pick<MatchRow, 'key'>[],
): Promise<Map<string, ExcerptPart[]>> {
  if (rows.length === 0) return new Map()
  const values = [userId, tsquery, anchor, rows.map(({ key }) => key)]
  const found = await pool.query<ExcerptRow>({ ...EXCERPTS, values })
  return new Map(found.rows.map(({ key, text, headline }) => [key, partsOf(text, headline)]))
}

/** The part of a text that a headline of its folded form shows. Characters of both are at the same places. */
function partsOf(text: string, headline: string): ExcerptPart[] {
  const characters = [...text]
  const plain = headline.replace(/[[\]]/g, '')
  const folded = foldText(text)
  const start = [...folded.slice(0, Math.max(folded.indexOf(plain), 0))].length
  let at = start
  // Text outside and inside of brackets in turn.
  const parts = headline.split(/[[\]]/).map((part, index) => {
    const from = at
    at += [...part].length
    return { text: characters.slice(from, at).join(''), isMatch: index % 2 === 1 }
  })
  return parts.filter((part) => part.text !== '')
}

/** As for names. */
const MOST_CHARACTERS = 255
const MOST_WORDS = 16
/** The last word can be the beginning of a longer one from this length on: fewer letters begin too many words. */
const SHORTEST_BEGINNING = 3

const QUOTES = /["\u00ab\u00bb\u201c-\u201e]/

type TextQuery = {
  /** For PostgreSQL's `to_tsquery`. */
  readonly tsquery: string
  /** The longest word, folded: excerpts are taken from around its first place. */
  readonly anchor: string
}

/** @throws InvalidInputError for a query without a letter or digit, or a very long one */
function parseTextQuery(query: string): TextQuery {
  const text = query
    .normalize('NFC')
    .replace(/\p{Cs}/gu, '')
    .trim()
  if (text.length > MOST_CHARACTERS) throw refusal(`Please search for at most ${MOST_CHARACTERS} characters.`)
  const groups = text.split(QUOTES).map((part, index) => {
    const words = wordsOf(part)
    // Between quotation marks.
    return index % 2 === 1 ? [words] : words.map((word) => [word])
  })
  const phrases = groups.flat().filter((words) => words.length > 0)
  const words = phrases.flat()
  if (words.length === 0) throw refusal('Please enter a word to search for.')
  if (words.length > MOST_WORDS) throw refusal(`Please search for at most ${MOST_WORDS} words.`)
  const last = QUOTES.test(text.slice(-1)) ? null : words.at(-1)
  const tsquery = phrases.map((phrase, index) => {
    const isLast = index === phrases.length - 1 && last !== null
    return phrase.map((word, at) => term(word, isLast && at === phrase.length - 1)).join(' <-> ')
  })
  const [anchor = ''] = words.toSorted((a, b) => b.length - a.length)
  return { tsquery: tsquery.join(' & '), anchor }
}

/** Folded words consist of letters, digits and marks only, so nothing in them has a meaning in a tsquery. */
function term(word: string, isBeginning: boolean): string {
  return isBeginning && [...word].length >= SHORTEST_BEGINNING ? `'${word}':*` : `'${word}'`
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(' ')
    .filter((word) => word !== '')
}

function refusal(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'query', message }])
}
