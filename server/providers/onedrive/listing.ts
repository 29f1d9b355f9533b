import type { Call, Change, ChangePage, Entry, EntryRef, Page } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import { API, DRIVE, itemUrl, KIND, type OneDriveContext } from './client.ts'
import { entryOf, type GraphItem, ITEM_FIELDS } from './entry.ts'

// Cursors are Graph's own links to the next page, which contain no credentials.

type GraphPage = {
  readonly value?: readonly GraphItem[]
  readonly '@odata.nextLink'?: string
  /** In the last page of a list of changes: what to ask later. */
  readonly '@odata.deltaLink'?: string
}

const query = (more: Readonly<Record<string, string>>): string =>
  Object.entries({ $select: ITEM_FIELDS, ...more })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** Driver.list. */
export async function list(
  { client, limits }: OneDriveContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  const first = `${itemUrl(folder)}/children?${query({ $top: String(limits.pageSize) })}`
  const url = cursor === null ? first : linkOf(cursor, 'list')
  const page = await client.ask<GraphPage>(call, 'list', { url })
  return { items: (page.value ?? []).map(entryOf), cursor: page['@odata.nextLink'] ?? null }
}

const DELTA = `${DRIVE}/root/delta`

/** Driver.listAll: the first round of a list of changes, which is everything that there is. */
export async function listAll(context: OneDriveContext, call: Call, cursor: string | null): Promise<Page<Entry>> {
  const url =
    cursor === null ? `${DELTA}?${query({ $top: String(context.limits.pageSize) })}` : linkOf(cursor, 'listAll')
  const page = await askDelta(context, call, 'listAll', url)
  const items = itemsOf(page).filter(({ deleted }) => deleted === undefined)
  return { items: items.map(entryOf), cursor: page['@odata.nextLink'] ?? null }
}

/** Driver.changes. */
export async function changes(context: OneDriveContext, call: Call, cursor: string | null): Promise<ChangePage> {
  const now = `${DELTA}?${query({ $top: String(context.limits.pageSize), token: 'latest' })}`
  const url = cursor === null ? now : linkOf(cursor, 'changes')
  const page = await askDelta(context, call, 'changes', url)
  const next = page['@odata.nextLink'] ?? page['@odata.deltaLink']
  if (next === undefined) throw failed('Transient', 'changes', 'The response does not say where it continues.')
  return {
    changes: cursor === null ? [] : itemsOf(page).map(changeOf),
    cursor: next,
    hasMore: page['@odata.nextLink'] !== undefined,
  }
}

async function askDelta({ client }: OneDriveContext, call: Call, operation: string, url: string): Promise<GraphPage> {
  // Otherwise all folders above a changed item are reported with it.
  const headers = { deltaExcludeParent: 'true' }
  return client.ask<GraphPage>(call, operation, { url, headers }).catch((error: unknown) => {
    throw cursorError(error)
  })
}

/** Graph answers 410 when a link is too old, and 400 when it does not know it at all. */
function cursorError(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error
  const isUnknown = error.where.status === 410 || (error.where.status === 400 && isFailure(error, 'Permanent'))
  return isUnknown ? new ProviderError('CursorReset', error.where, error.detail) : error
}

/** Without the root, and of an item that is repeated the last state. */
function itemsOf({ value = [] }: GraphPage): readonly GraphItem[] {
  const last = new Map(value.map((item, index) => [item.id, index]))
  return value.filter((item, index) => last.get(item.id) === index && item.root === undefined)
}

function changeOf(item: GraphItem): Change {
  const ref = item.id as EntryRef
  if (item.deleted === undefined) return { ref, entry: entryOf(item) }
  const kind = item.folder ? 'folder' : item.file ? 'file' : null
  return { ref, entry: null, ...(kind && { kind }) }
}

/** A link that Graph has given out: the token is sent to no other address. @throws CursorReset */
function linkOf(cursor: string, operation: string): string {
  if (cursor.startsWith(`${API}/`)) return cursor
  throw failed('CursorReset', operation, 'This is not a link of Microsoft Graph.')
}

function failed(code: 'Transient' | 'CursorReset', operation: string, message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation }, { message })
}
