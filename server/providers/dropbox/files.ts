import type { Call, ChangePage, Entry, EntryRef, Page } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { isFailure, nothingWhen } from '../shared/failures.ts'
import type { DropboxClient } from './client.ts'
import type { PutContext } from './putJob.ts'
import { changesOf, type DropboxEntry, entryOf, folderPath, isThere, KIND, pathIn, ROOT } from './wire.ts'

/** Of what a path or an id names. @throws NotFound */
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

/** Dropbox has no words about its root. */
export async function stat(client: DropboxClient, call: Call, ref: EntryRef): Promise<Entry> {
  if (ref !== ROOT) return entryOf(await metadataAt(client, call, 'stat', ref))
  return { ref, name: '', kind: 'folder', size: null, modifiedAt: null, hash: null }
}

export async function list(
  { client, limits }: PutContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  const asking = client.ask(call, 'list', (sdk) =>
    cursor === null
      ? sdk.filesListFolder({ path: folderPath(folder), limit: limits.pageSize })
      : sdk.filesListFolderContinue({ cursor }),
  )
  const page = await asking.catch((error: unknown) => {
    throw cursor === null ? error : cursorError(error)
  })
  return { items: page.entries.filter(isThere).map(entryOf), cursor: page.has_more ? page.cursor : null }
}

/** Of the whole account, by the cursors of a listing of everything. */
export async function changes({ client, limits }: PutContext, call: Call, cursor: string | null): Promise<ChangePage> {
  if (cursor === null) {
    const everything = { path: '', recursive: true, limit: limits.pageSize }
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

/** A cursor that Dropbox cannot read is refused as any bad input, in words alone. */
function cursorError(error: unknown): unknown {
  if (!isFailure(error, 'Permanent') || error.where.status !== 400) return error
  return new ProviderError('CursorReset', error.where, error.detail)
}

/** To Dropbox's own trash, where it does not count. */
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
  // Folders are made by paths alone.
  const above = parent === ROOT ? '' : ((await metadataAt(client, call, 'ensureFolder', parent)).path_display ?? '')
  const path = `${above}/${name}`
  const made = await client
    .ask(call, 'ensureFolder', (sdk) => sdk.filesCreateFolderV2({ path }))
    .catch(nothingWhen('Conflict'))
  if (made) return made.metadata.id as EntryRef
  const other = await folderAt(client, call, path)
  if (other !== null) return other
  throw new ProviderError('Transient', { provider: KIND, operation: 'ensureFolder' }, { message: 'It comes and goes.' })
}

async function folderAt(client: DropboxClient, call: Call, path: string): Promise<EntryRef | null> {
  const metadata = await metadataAt(client, call, 'ensureFolder', path).catch(nothingWhen('NotFound'))
  if (!metadata) return null
  if (!('size' in metadata)) return metadata.id as EntryRef
  throw new ProviderError('Conflict', { provider: KIND, operation: 'ensureFolder' }, { message: 'A file is there.' })
}

/** The id stays. @throws NotFound, Conflict */
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

/** What a move or a copy has made. @throws NotFound when it is gone again */
export function relocated(metadata: Parameters<typeof isThere>[0], operation: string): Entry {
  if (isThere(metadata)) return entryOf(metadata)
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It was deleted.' })
}
