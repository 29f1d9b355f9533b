import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { type DriveClient, type DriveContext, KIND } from './client.ts'
import { type DriveFile, entryOf, FILE_FIELDS, FOLDER_TYPE } from './entry.ts'
import { ALL_DRIVES, cursorError, fileOf, quoted } from './files.ts'

export async function list(
  { client, limits }: DriveContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  // For a missing folder Drive returns an empty list instead of an error.
  if (cursor === null && folder !== 'root') await fileOf(client, call, 'list', folder)
  const query = `${quoted(folder)} in parents and trashed = false`
  const { files, nextPageToken } = await client.ask(call, 'list', (api, options) =>
    api.files.list(listing(query, limits.pageSize, cursor), options),
  )
  return { items: (files ?? []).map(entryOf), cursor: nextPageToken ?? null }
}

function listing(q: string, pageSize: number, pageToken: string | null) {
  const fields = `nextPageToken,files(${FILE_FIELDS})`
  const page = pageToken === null ? {} : { pageToken }
  return { q, pageSize, fields, ...ALL_DRIVES, includeItemsFromAllDrives: true, ...page }
}

/** Folders are listed first, so that the parents of files are known early. */
const PHASES = ['folders', 'files'] as const
type Phase = (typeof PHASES)[number]

/** `pageToken` null: the first page of the phase. */
type Place = { readonly phase: Phase; readonly pageToken: string | null }

const QUERIES: Readonly<Record<Phase, string>> = {
  folders: `mimeType = '${FOLDER_TYPE}' and trashed = false`,
  files: `mimeType != '${FOLDER_TYPE}' and trashed = false`,
}

/**
 * Driver.listAll: the user's own files and those shared with the user, from flat lists; without shared drives, whose
 * changes are not in the user's feed either. The cursor is `folders:TOKEN` or `files:TOKEN`, with Drive's page token;
 * `files:` is the first page of the files.
 */
export async function listAll(
  { client, limits }: DriveContext,
  call: Call,
  cursor: string | null,
): Promise<Page<Entry>> {
  const place = placeOf(cursor)
  const request = {
    q: QUERIES[place.phase],
    pageSize: limits.pageSize,
    fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
    ...ALL_DRIVES,
    ...(place.pageToken !== null && { pageToken: place.pageToken }),
  }
  const page = await client
    .ask(call, 'listAll', (api, options) => api.files.list(request, options))
    .catch((error: unknown) => {
      throw place.pageToken === null ? error : cursorError(error)
    })
  // A part of the entries must not be taken for all of them.
  if (page.incompleteSearch) throw failed('Transient', 'Drive has not searched everything.')
  const found = await withoutRoot(client, call, page.files ?? [])
  // Page tokens list what matched when the listing began.
  const items = found.filter(({ trashed }) => !trashed).map(entryOf)
  return { items, cursor: cursorAfter(place, page.nextPageToken ?? null) }
}

/** @throws CursorReset for text that `cursorAfter` cannot have returned */
function placeOf(cursor: string | null): Place {
  if (cursor === null) return { phase: 'folders', pageToken: null }
  const [name = '', ...token] = cursor.split(':')
  const phase = PHASES.find((known) => known === name)
  const pageToken = token.join(':') || null
  const isPlace = phase !== undefined && token.length > 0 && (phase === 'files' || pageToken !== null)
  if (isPlace) return { phase, pageToken }
  throw failed('CursorReset', 'This is not a cursor of a listing.')
}

function cursorAfter({ phase }: Place, nextPageToken: string | null): string | null {
  if (nextPageToken !== null) return `${phase}:${nextPageToken}`
  return phase === 'folders' ? 'files:' : null
}

/** The root is a folder without a parent, as are folders that others share. */
async function withoutRoot(
  client: DriveClient,
  call: Call,
  files: readonly DriveFile[],
): Promise<readonly DriveFile[]> {
  const isCandidate = ({ mimeType, parents }: DriveFile) => mimeType === FOLDER_TYPE && !parents?.length
  if (!files.some(isCandidate)) return files
  // With the scope `drive.file` the root is not found, and not listed.
  const root = await fileOf(client, call, 'listAll', 'root').catch(nothingWhen('NotFound'))
  return files.filter(({ id }) => id !== root?.id)
}

function failed(code: 'Transient' | 'CursorReset', message: string): ProviderError {
  return new ProviderError(code, { provider: KIND, operation: 'listAll' }, { message })
}
