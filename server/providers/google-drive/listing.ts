import { type Call, type Entry, type EntryRef, type Page, SHARED_WITH_ME } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { cursorError } from './changes.ts'
import { type DriveClient, type DriveContext, KIND } from './client.ts'
import { type DriveFile, entryOf, FILE_FIELDS, FOLDER_TYPE } from './entry.ts'
import { ALL_DRIVES, fileOf, quoted, statRoot } from './files.ts'

export async function list(
  { client, limits }: DriveContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  // For a missing folder Drive returns an empty list instead of an error.
  const isShared = folder === SHARED_WITH_ME
  if (cursor === null && folder !== 'root' && !isShared) await fileOf(client, call, 'list', folder)
  const where = isShared ? 'sharedWithMe = true' : `${quoted(folder)} in parents`
  const { files, nextPageToken } = await client.ask(call, 'list', (api, options) =>
    api.files.list(listing(`${where} and trashed = false`, limits.pageSize, cursor), options),
  )
  const found = (files ?? []).map(entryOf)
  // What is shared by itself and with its folder is in the folder alone.
  const items = isShared ? found.filter(({ details }) => details?.parent === SHARED_WITH_ME) : found
  return { items, cursor: nextPageToken ?? null }
}

function listing(q: string, pageSize: number, pageToken: string | null) {
  const fields = `nextPageToken,files(${FILE_FIELDS})`
  const page = pageToken === null ? {} : { pageToken }
  return { q, pageSize, fields, ...ALL_DRIVES, includeItemsFromAllDrives: true, ...page }
}

/** Folders are listed first, so that the parents of files are known early. */
const PHASES = ['folders', 'files'] as const

/** `pageToken` null: the first page of the phase. `drive`: the listing of a shared drive. */
type Place = { readonly phase: (typeof PHASES)[number] | `drive/${string}`; readonly pageToken: string | null }

const QUERIES: Readonly<Record<string, string>> = {
  folders: `mimeType = '${FOLDER_TYPE}' and trashed = false`,
  files: `mimeType != '${FOLDER_TYPE}' and trashed = false`,
}

/**
 * Driver.listAll: the user's own files and those shared with the user, from flat lists, then each shared drive among the extra roots
 * by itself. The cursor is `folders:TOKEN`, `files:TOKEN` or `drive/ID:TOKEN`, with Drive's page token; without one it is the first
 * page of that list.
 */
export async function listAll(
  { client, limits }: DriveContext,
  call: Call,
  cursor: string | null,
  extraRoots: readonly EntryRef[] = [],
): Promise<Page<Entry>> {
  const place = placeOf(cursor)
  const driveId = driveOf(place)
  const next = (token: string | null) => cursorAfter(place, token, extraRoots)
  const roots = await rootsAt(client, call, place, extraRoots)
  if (driveId !== null && roots === null) return { items: [], cursor: next(null) }
  const request = {
    q: driveId === null ? (QUERIES[place.phase] ?? '') : 'trashed = false',
    pageSize: limits.pageSize,
    fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
    ...ALL_DRIVES,
    ...(driveId !== null && { corpora: 'drive', driveId, includeItemsFromAllDrives: true }),
    ...(place.pageToken !== null && { pageToken: place.pageToken }),
  }
  const page = await client
    .ask(call, 'listAll', (api, options) => api.files.list(request, options))
    .catch((error: unknown) => {
      throw place.pageToken === null ? error : cursorError(error)
    })
  // A part of the entries must not be taken for all of them.
  if (page.incompleteSearch) throw failed('Transient', 'Drive has not searched everything.')
  const files = (page.files ?? []).filter(({ id }) => id !== driveId)
  const found = driveId === null ? await withoutRoot(client, call, files) : files
  // Page tokens list what matched when the listing began.
  const items = found.filter(({ trashed }) => !trashed).map(entryOf)
  return { items: [...(roots ?? []), ...items], cursor: next(page.nextPageToken ?? null) }
}

/** The roots that a page begins with; null for a shared drive that the user cannot see any more. */
async function rootsAt(
  client: DriveClient,
  call: Call,
  place: Place,
  extraRoots: readonly EntryRef[],
): Promise<readonly Entry[] | null> {
  if (place.pageToken !== null) return []
  const driveId = driveOf(place)
  if (driveId === null) {
    const isShown = place.phase === 'folders' && extraRoots.includes(SHARED_WITH_ME)
    return isShown ? [await statRoot(client, call, SHARED_WITH_ME)] : []
  }
  if (!extraRoots.includes(driveId)) return null
  const root = await statRoot(client, call, driveId).catch(nothingWhen('NotFound'))
  return root && [root]
}

const driveOf = ({ phase }: Place): EntryRef | null =>
  phase.startsWith('drive/') ? (phase.slice('drive/'.length) as EntryRef) : null

/** @throws CursorReset for text that `cursorAfter` cannot have returned */
function placeOf(cursor: string | null): Place {
  if (cursor === null) return { phase: 'folders', pageToken: null }
  const [, phase = '', token] = /^(folders|files|drive\/[^:]+):(.*)$/s.exec(cursor) ?? []
  const isPlace = phase !== '' && (phase !== 'folders' || token !== '')
  if (isPlace) return { phase: phase as Place['phase'], pageToken: token || null }
  throw failed('CursorReset', 'This is not a cursor of a listing.')
}

function cursorAfter({ phase }: Place, nextPageToken: string | null, extraRoots: readonly EntryRef[]): string | null {
  if (nextPageToken !== null) return `${phase}:${nextPageToken}`
  const drives = extraRoots.filter((ref) => ref !== SHARED_WITH_ME).map((ref) => `drive/${ref}`)
  const phases = [...PHASES, ...drives.toSorted()]
  const next = phases.find(
    (one, index) => index > 0 && (phases.indexOf(phase) < 0 ? one > phase : index > phases.indexOf(phase)),
  )
  return next === undefined ? null : `${next}:`
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
