import type pg from 'pg'
import { CURSOR, createActivityService } from '../../domain/activity/service.ts'
import type { KeepRule } from '../../domain/duplicates/contract.ts'
import { listGroups, sumGroups, sumReclaimable } from '../../domain/duplicates/listing.ts'
import type { FileSort, FileView, ListFiles, SelectedFiles } from '../../domain/files/contract.ts'
import { accountsOf, bytesOf, monthsOf, summarize } from '../../domain/files/service.ts'
import type { FileRow } from '../../domain/files/tree/entries.ts'
import { cursorOf, isIndexedSearch, listFiles, orderOf } from '../../domain/files/tree/listing.ts'
import { findContents, matchStatement } from '../../domain/search/service.ts'
import { rotateKeys } from '../../domain/secrets/rotateKeys.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { createEncryption } from '../../lib/encryption.ts'
import type { Statement } from './statements.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const AT = new Date(0)
const VIEWER: Viewer = { userId: ID, via: 'session', sessionId: ID } as Viewer

/** The files whose statements depend on filters or tables chosen at run time, and calls that produce every form of them. */
const COMPOSED: Readonly<Record<string, (pool: pg.Pool) => Promise<void>>> = {
  'server/domain/duplicates/listing.ts': listDuplicates,
  'server/domain/files/tree/listing.ts': listEverything,
  'server/domain/files/service.ts': summarizeEverything,
  'server/domain/activity/service.ts': listActivity,
  'server/domain/search/service.ts': searchContents,
  'server/domain/secrets/rotateKeys.ts': rotateEverything,
}

/** Whether `composeStatements` produces the statements of this file. */
export function isComposed(file: string): boolean {
  return file in COMPOSED
}

/** The statements that these files send, recorded from calls to them. Nothing is executed. */
export async function composeStatements(): Promise<Statement[]> {
  const statements: Statement[] = []
  for (const [place, call] of Object.entries(COMPOSED)) {
    const texts = new Set<string>()
    await call(recordingPool(texts))
    statements.push(...[...texts].map((text) => ({ place, text, part: false })))
  }
  return statements
}

/** Keeps the text of each statement and answers that a row was found, without its columns. */
function recordingPool(texts: Set<string>): pg.Pool {
  const query = async (statement: string | { text: string }) => {
    const text = typeof statement === 'string' ? statement : statement.text
    if (!/^(?:begin|commit|rollback)$/.test(text)) texts.add(text)
    return { rows: [], rowCount: 1 }
  }
  return { query, connect: async () => ({ query, release: () => {} }) } as unknown as pg.Pool
}

const VIEWS: readonly FileView[] = ['DRIVE', 'ALL', 'SHARED', 'STARRED', 'TRASH']
const FILTERS: readonly Partial<SelectedFiles>[] = [
  {},
  { parentId: ID },
  { query: 'a' },
  { query: 'ab' },
  { query: 'a longer query that is not found by the trigrams of its beginning alone' },
  { categories: ['IMAGE'] },
  { groupCloudId: ID },
  { provider: 'local' },
  { accountId: ID },
  { states: ['AT_RISK'] },
  { states: ['STORED'] },
  { createdUntil: AT },
  { trashedFrom: AT, trashedUntil: AT },
  { exceptIds: [ID] },
]
const SELECTED: readonly SelectedFiles[] = VIEWS.flatMap((view) =>
  FILTERS.filter(({ parentId }) => !parentId || view === 'DRIVE').map((filter) => ({ view, ...filter })),
)
const ROW = { id: ID, sort_key: '', updated_at: AT, trashed_at: AT, size: 0 } as FileRow & { sort_key: string }
const SORTS: readonly FileSort[] = (['NAME', 'MODIFIED', 'SIZE', 'TAKEN'] as const).flatMap((field) => [
  { field, direction: 'ASC' },
  { field, direction: 'DESC' },
])

async function listEverything(pool: pg.Pool): Promise<void> {
  for (const selected of SELECTED) await listPages(pool, selected)
  for (const view of VIEWS) for (const sort of SORTS) await listPages(pool, { view, sort })
}

/** The first page, and those after a file and after a folder. */
async function listPages(pool: pg.Pool, list: Omit<ListFiles, 'limit'>): Promise<void> {
  for (const foldersFirst of [true, false]) {
    const options = { ...list, foldersFirst, limit: 1 }
    const order = orderOf(options, foldersFirst && list.view === 'DRIVE' && list.query === undefined)
    await listFiles(pool, VIEWER, options)
    if (isIndexedSearch(options)) await listFiles(pool, VIEWER, options, true)
    await listFiles(pool, VIEWER, { ...options, after: cursorOf(order, { ...ROW, kind: 'FILE' }) })
    await listFiles(pool, VIEWER, { ...options, after: cursorOf(order, { ...ROW, kind: 'FOLDER' }) })
  }
}

async function summarizeEverything(pool: pg.Pool): Promise<void> {
  // A folder is looked up first, which needs a row with columns: its condition is in the lists above.
  const lists = SELECTED.filter(({ parentId }) => !parentId).map((list) => ({ list }))
  for (const which of [{ ids: [ID] }, ...lists]) {
    await summarize(pool, VIEWER, which)
    await bytesOf(pool, VIEWER, which)
    await accountsOf(pool, VIEWER, which)
    await monthsOf(pool, VIEWER, which)
  }
}

async function listActivity(pool: pg.Pool): Promise<void> {
  const { list } = createActivityService({ pool, log: { flush: async () => {} } })
  const after = CURSOR.encode({ at: AT, id: ID })
  for (const place of [{}, { after }]) {
    for (const file of [{}, { fileId: ID }]) {
      for (const query of [undefined, 'a', 'a longer query that is not found by the trigrams of its beginning alone'])
        await list(VIEWER, { limit: 1, ...place, ...file, query, actions: ['SIGNED_IN'], subjectId: ID })
    }
  }
}

async function searchContents(pool: pg.Pool): Promise<void> {
  await findContents(pool, VIEWER, { view: 'ALL', query: 'word', limit: 1 })
  const order = orderOf({ view: 'ALL', limit: 0, sort: { field: 'MODIFIED', direction: 'DESC' } }, false)
  const query = { tsquery: `'word'`, anchor: 'word' }
  const filters = { accountId: ID, groupCloudId: ID, provider: 'local', home: 'POOL', categories: ['PDF'] } as const
  for (const view of ['ALL', 'DRIVE', 'SHARED', 'STARRED'] as const) {
    for (const isFrequent of [false, true]) {
      for (const after of [null, { kind: 'FILE', key: AT.toISOString(), id: ID } as const]) {
        const options = {
          ...filters,
          view,
          query: '',
          minSize: 1,
          maxSize: 2,
          modifiedAfter: AT,
          modifiedBefore: AT,
          limit: 1,
        }
        await pool.query(matchStatement(VIEWER, options, { query, order, after, isFrequent }))
      }
    }
  }
}

async function listDuplicates(pool: pg.Pool): Promise<void> {
  const after = Buffer.from(JSON.stringify(['duplicates', 0, ID])).toString('base64url')
  const rules: readonly KeepRule[] = [
    { keep: 'OLDEST' },
    { keep: 'NEWEST' },
    { keep: 'ACCOUNT', accountId: ID },
    { keep: 'FOLDER', folderId: ID },
  ]
  for (const place of [{}, { accountId: ID }, { home: 'POOL' as const }, { accountId: ID, home: 'POOL' as const }]) {
    for (const certainty of [undefined, 'CERTAIN', 'LIKELY'] as const) {
      const filter = { ...place, certainty, parentId: ID, categories: ['IMAGE'] as const, minSize: 1 }
      await listGroups(pool, VIEWER, { ...filter, limit: 1, after })
      await listGroups(pool, VIEWER, { ...place, certainty, limit: 1 })
      await sumGroups(pool, VIEWER, filter)
    }
    for (const rule of rules) await sumReclaimable(pool, VIEWER, { ...place, parentId: ID }, rule)
  }
}

async function rotateEverything(pool: pg.Pool): Promise<void> {
  const signal = new AbortController().signal
  await rotateKeys({
    pool,
    encryption: createEncryption(['k'.repeat(32)]),
    signal,
    onError: () => {},
    onLost: async () => {},
  })
}
