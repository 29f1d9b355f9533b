import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import { type Call, type Entry, type EntryRef, type ExtraRoot, SHARED_WITH_ME } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { type DriveClient, KIND } from './client.ts'
import { type DriveFile, entryOf, FILE_FIELDS, FOLDER_TYPE } from './entry.ts'

export const ALL_DRIVES = { supportsAllDrives: true } as const

/** @throws NotFound, also for files in the trash */
export async function fileOf(client: DriveClient, call: Call, operation: string, ref: string): Promise<DriveFile> {
  const found = await client.ask(call, operation, (api, options) =>
    api.files.get({ fileId: ref, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  if (!found.trashed) return found
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It is in the trash.' })
}

/** Driver.stat. Drive has a file with the id of each shared drive, which has neither its name nor a folder. */
export async function stat(client: DriveClient, call: Call, ref: EntryRef): Promise<Entry> {
  if (ref === SHARED_WITH_ME) return statRoot(client, call, ref)
  const file = await fileOf(client, call, 'stat', ref)
  return file.driveId && file.driveId === file.id ? statRoot(client, call, ref) : entryOf(file)
}

/** Two processes may create the folder at once: all callers use the oldest one. */
export async function ensureFolder(client: DriveClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef> {
  const known = await oldestFolder(client, call, parent, name)
  if (known !== null) return known
  const requestBody = { name, mimeType: FOLDER_TYPE, parents: [parent] }
  const made = await client.ask(call, 'ensureFolder', (api, options) =>
    api.files.create({ requestBody, fields: 'id', ...ALL_DRIVES }, options),
  )
  // The new folder may not be listed yet.
  return (await oldestFolder(client, call, parent, name)) ?? ((made.id ?? '') as EntryRef)
}

async function oldestFolder(client: DriveClient, call: Call, parent: string, name: string): Promise<EntryRef | null> {
  const place = `name = ${quoted(name)} and ${quoted(parent)} in parents`
  const query = `${place} and mimeType = '${FOLDER_TYPE}' and trashed = false`
  const search = {
    q: query,
    pageSize: 100,
    fields: 'files(id,name)',
    orderBy: 'createdTime',
    ...ALL_DRIVES,
    includeItemsFromAllDrives: true,
  }
  const { files } = await client.ask(call, 'ensureFolder', (api, options) => api.files.list(search, options))
  // Drive's query ignores case.
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

/** @throws NotFound, Forbidden */
export async function trash(client: DriveClient, call: Call, ref: EntryRef): Promise<void> {
  const requestBody = { trashed: true }
  await client.ask(call, 'trash', (api, options) =>
    api.files.update({ fileId: ref, requestBody, fields: 'id', ...ALL_DRIVES }, options),
  )
}

/** Moves it in the same request: a file whose folder stays in the trash would stay there too. @throws NotFound, Forbidden */
export async function restore(client: DriveClient, call: Call, ref: EntryRef, parent: EntryRef): Promise<Entry> {
  const { id: folder } = await fileOf(client, call, 'restore', parent)
  const { parents } = await client.ask(call, 'restore', (api, options) =>
    api.files.get({ fileId: ref, fields: 'parents', ...ALL_DRIVES }, options),
  )
  const isThere = parents?.includes(folder ?? '') === true
  const place = isThere ? {} : { addParents: folder ?? '', removeParents: parents?.join(',') ?? '' }
  const requestBody = { trashed: false }
  const restored = await client.ask(call, 'restore', (api, options) =>
    api.files.update({ fileId: ref, ...place, requestBody, fields: FILE_FIELDS, ...ALL_DRIVES }, options),
  )
  return entryOf(restored)
}

/** Deletes permanently, because files in the trash count against the quota. Resolves when the file is already gone. */
export async function remove(client: DriveClient, call: Call, ref: string): Promise<void> {
  const removing = client.ask(call, 'delete', (api, options) =>
    api.files.delete({ fileId: ref, supportsAllDrives: true }, options),
  )
  await removing.catch(nothingWhen('NotFound'))
}

/** Quotes a string for a search query (`q`). */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

// Trees in addition to the user's own files: what others share with the user, and shared drives, whose files belong to an organisation.

const SHARED_NAME = 'Shared with me'
const DRIVE_FIELDS = 'id,name,createdTime,capabilities(canAddChildren,canListChildren)'
const MOST_DRIVES = 100

/** Driver.roots. */
export async function roots(client: DriveClient, call: Call): Promise<readonly ExtraRoot[]> {
  const found: ExtraRoot[] = [{ ref: SHARED_WITH_ME, name: SHARED_NAME }]
  let pageToken: string | null | undefined
  do {
    const page: drive_v3.Schema$DriveList = await client.ask(call, 'roots', (api, options) =>
      api.drives.list(
        { pageSize: MOST_DRIVES, fields: 'nextPageToken,drives(id,name)', ...(pageToken && { pageToken }) },
        options,
      ),
    )
    for (const { id, name } of page.drives ?? []) if (id) found.push({ ref: id as EntryRef, name: name ?? id })
    pageToken = page.nextPageToken
  } while (pageToken)
  return found
}

/** An extra root as a folder in the account's own root. @throws NotFound */
export async function statRoot(client: DriveClient, call: Call, ref: EntryRef): Promise<Entry> {
  const root = await fileOf(client, call, 'stat', 'root')
  const parent = (root.id ?? 'root') as EntryRef
  if (ref === SHARED_WITH_ME) {
    const webUrl = 'https://drive.google.com/drive/shared-with-me'
    return rootEntry({ ref, name: SHARED_NAME, parent, createdAt: null, webUrl, read: true, write: false })
  }
  const drive = await client.ask(call, 'stat', (api, options) =>
    api.drives.get({ driveId: ref, fields: DRIVE_FIELDS }, options),
  )
  return rootEntry({
    ref,
    name: drive.name ?? ref,
    parent,
    createdAt: drive.createdTime ? new Date(drive.createdTime) : null,
    webUrl: `https://drive.google.com/drive/folders/${ref}`,
    read: drive.capabilities?.canListChildren !== false,
    write: drive.capabilities?.canAddChildren !== false,
  })
}

type Root = {
  readonly ref: EntryRef
  readonly name: string
  readonly parent: EntryRef
  readonly createdAt: Date | null
  readonly webUrl: string
  readonly read: boolean
  readonly write: boolean
}

function rootEntry({ ref, name, parent, createdAt, webUrl, read, write }: Root): Entry {
  return {
    ref,
    name,
    kind: 'folder',
    size: null,
    modifiedAt: createdAt,
    hash: null,
    details: {
      parent,
      isExtraRoot: true,
      mimeType: null,
      createdAt,
      revision: null,
      webUrl,
      nativeKind: null,
      exportTypes: [],
      target: null,
      rights: { read, write, rename: false, move: false, delete: false, share: false },
    },
  }
}
