import type { files } from 'dropbox'
import type { Call, Change, ChangePage, Entry, EntryRef, Page } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { type DropboxClient, type DropboxContext, KIND } from './client.ts'
import { type DropboxEntry, entryOf, ROOT, rootEntry } from './entry.ts'

/** Metadata of a path or id. @throws NotFound */
export async function metadataAt(
  client: DropboxClient,
  call: Call,
  operation: string,
  path: string,
): Promise<DropboxEntry> {
  const metadata = await client.ask(call, operation, (sdk) => sdk.filesGetMetadata({ path }))
  if (isThere(metadata)) return metadata
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It was deleted.' })
}

export async function stat(client: DropboxClient, call: Call, ref: EntryRef): Promise<Entry> {
  return ref === ROOT ? rootEntry() : entryOf(await metadataAt(client, call, 'stat', ref))
}

export function list(
  context: DropboxContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  return listed(context, call, 'list', { path: folderPath(folder) }, cursor)
}

/** Driver.listAll, with Dropbox's cursors of a recursive listing. */
export function listAll(context: DropboxContext, call: Call, cursor: string | null): Promise<Page<Entry>> {
  return listed(context, call, 'listAll', EVERYTHING, cursor)
}

const EVERYTHING = { path: '', recursive: true, include_deleted: false } as const

async function listed(
  { client, limits }: DropboxContext,
  call: Call,
  operation: string,
  folder: files.ListFolderArg,
  cursor: string | null,
): Promise<Page<Entry>> {
  const asking = client.ask(call, operation, (sdk) =>
    cursor === null
      ? sdk.filesListFolder({ ...folder, limit: limits.pageSize })
      : sdk.filesListFolderContinue({ cursor }),
  )
  const page = await asking.catch((error: unknown) => {
    throw cursor === null ? error : cursorError(error)
  })
  return { items: page.entries.filter(isThere).map(entryOf), cursor: page.has_more ? page.cursor : null }
}

/** Changes of the whole account, with the cursors of a recursive listing. */
export async function changes(
  { client, limits }: DropboxContext,
  call: Call,
  cursor: string | null,
): Promise<ChangePage> {
  if (cursor === null) {
    const everything = { ...EVERYTHING, limit: limits.pageSize }
    const now = await client.ask(call, 'changes', (sdk) => sdk.filesListFolderGetLatestCursor(everything))
    return { changes: [], cursor: now.cursor, hasMore: false }
  }
  const page = await client
    .ask(call, 'changes', (sdk) => sdk.filesListFolderContinue({ cursor }))
    .catch((error: unknown) => {
      throw cursorError(error)
    })
  return { changes: changesOf(page.entries), cursor: page.cursor, hasMore: page.has_more }
}

/** An invalid cursor is refused like other invalid input, without a tag. */
function cursorError(error: unknown): unknown {
  if (!isFailure(error, 'Permanent') || error.where.status !== 400) return error
  return new ProviderError('CursorReset', error.where, error.detail)
}

/** Moves to Dropbox's trash, which does not count against the quota. */
export async function remove(client: DropboxClient, call: Call, ref: string): Promise<void> {
  await client.ask(call, 'delete', (sdk) => sdk.filesDeleteV2({ path: ref })).catch(nothingWhen('NotFound'))
}

/** @throws Conflict when a file has the name */
export async function ensureFolder(
  client: DropboxClient,
  call: Call,
  parent: EntryRef,
  name: string,
): Promise<EntryRef> {
  const known = await folderAt(client, call, pathIn(parent, name))
  if (known !== null) return known
  // Folders can be created by path only.
  const above = parent === ROOT ? '' : ((await metadataAt(client, call, 'ensureFolder', parent)).path_display ?? '')
  const path = `${above}/${name}`
  const made = await client
    .ask(call, 'ensureFolder', (sdk) => sdk.filesCreateFolderV2({ path }))
    .catch(nothingWhen('Conflict'))
  if (made) return made.metadata.id as EntryRef
  const other = await folderAt(client, call, path)
  if (other !== null) return other
  throw new ProviderError(
    'Transient',
    { provider: KIND, operation: 'ensureFolder' },
    { message: 'The folder appears and disappears.' },
  )
}

async function folderAt(client: DropboxClient, call: Call, path: string): Promise<EntryRef | null> {
  const metadata = await metadataAt(client, call, 'ensureFolder', path).catch(nothingWhen('NotFound'))
  if (!metadata) return null
  if (!('size' in metadata)) return metadata.id as EntryRef
  throw new ProviderError('Conflict', { provider: KIND, operation: 'ensureFolder' }, { message: 'A file is there.' })
}

/** Keeps the id. @throws NotFound, Conflict */
export async function move(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  { parent, name }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  const now = await metadataAt(client, call, 'move', ref)
  const path = now.path_display ?? `/${now.name}`
  const folder = parent === undefined ? path.slice(0, path.lastIndexOf('/')) : folderPath(parent)
  const target = `${folder}/${name ?? now.name}`
  const moved = await client.ask(call, 'move', (sdk) => sdk.filesMoveV2({ from_path: ref, to_path: target }))
  return relocated(moved.metadata, 'move')
}

/** The entry that a move or copy returns. @throws NotFound when it was deleted again */
export function relocated(metadata: Parameters<typeof isThere>[0], operation: string): Entry {
  if (isThere(metadata)) return entryOf(metadata)
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It was deleted.' })
}

/** Deletions are reported by path; that of a folder once, without its contents. */
function changesOf(entries: files.ListFolderResult['entries']): readonly Change[] {
  return entries.flatMap((metadata): Change[] => {
    if (isThere(metadata)) return [{ ref: metadata.id as EntryRef, entry: entryOf(metadata) }]
    return metadata.path_lower === undefined ? [] : [{ ref: null, path: metadata.path_lower, entry: null }]
  })
}

/** Lists contain deleted entries as well. */
export function isThere(
  metadata: files.ListFolderResult['entries'][number],
): metadata is files.FileMetadataReference | files.FolderMetadataReference {
  return metadata['.tag'] !== 'deleted'
}

/** The path or id for calls that accept the root. */
function folderPath(ref: EntryRef): string {
  return ref === ROOT ? '' : ref
}

/** Dropbox accepts an id as the start of a path. */
export function pathIn(parent: EntryRef, name: string): string {
  return `${folderPath(parent)}/${name}`
}
