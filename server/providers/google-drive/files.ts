import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { DriveClient } from './client.ts'
import type { PutContext } from './putJob.ts'
import { type DriveFile, entryOf, FILE_FIELDS, FOLDER_TYPE, KIND, quoted } from './wire.ts'

export const ALL_DRIVES = { supportsAllDrives: true } as const

/** @throws NotFound, also for what is in the trash */
export async function fileOf(client: DriveClient, call: Call, operation: string, ref: string): Promise<DriveFile> {
  const found = await client.ask(call, operation, (api, options) =>
    api.files.get({ fileId: ref, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  if (!found.trashed) return found
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It is in the trash.' })
}

export async function list(
  { client, limits }: PutContext,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  // Drive lists nothing, and says no word, for a folder that is not there.
  if (cursor === null && folder !== 'root') await fileOf(client, call, 'list', folder)
  const query = `${quoted(folder)} in parents and trashed = false`
  const { files, nextPageToken } = await client.ask(call, 'list', (api, options) =>
    api.files.list(listing(query, limits.pageSize, cursor), options),
  )
  return { items: (files ?? []).map(entryOf), cursor: nextPageToken ?? null }
}

/** Two processes at once may make two: whoever looks takes the oldest, whoever made the younger one too. */
export async function ensureFolder(client: DriveClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef> {
  const known = await oldestFolder(client, call, parent, name)
  if (known !== null) return known
  const requestBody = { name, mimeType: FOLDER_TYPE, parents: [parent] }
  const made = await client.ask(call, 'ensureFolder', (api, options) =>
    api.files.create({ requestBody, fields: 'id', ...ALL_DRIVES }, options),
  )
  // A list may not show the new one yet.
  return (await oldestFolder(client, call, parent, name)) ?? ((made.id ?? '') as EntryRef)
}

async function oldestFolder(client: DriveClient, call: Call, parent: string, name: string): Promise<EntryRef | null> {
  const place = `name = ${quoted(name)} and ${quoted(parent)} in parents`
  const query = `${place} and mimeType = '${FOLDER_TYPE}' and trashed = false`
  const { files } = await client.ask(call, 'ensureFolder', (api, options) =>
    api.files.list({ ...listing(query, 100, null), orderBy: 'createdTime' }, options),
  )
  // Drive compares names without regard to case.
  const found = files?.find((folder) => folder.name === name)?.id
  return found ? (found as EntryRef) : null
}

export async function move(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  { parent, name }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  const { parents } = await fileOf(client, call, 'move', ref)
  const place = parent === undefined ? {} : { addParents: parent, removeParents: parents?.join(',') ?? '' }
  const requestBody = name === undefined ? {} : { name }
  const moved = await client.ask(call, 'move', (api, options) =>
    api.files.update({ fileId: ref, ...place, requestBody, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  return entryOf(moved)
}

function listing(q: string, pageSize: number, pageToken: string | null) {
  const fields = `nextPageToken,files(${FILE_FIELDS})`
  const page = pageToken === null ? {} : { pageToken }
  return { q, pageSize, fields, ...ALL_DRIVES, includeItemsFromAllDrives: true, ...page }
}
