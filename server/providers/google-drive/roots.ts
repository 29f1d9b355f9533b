import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import { type Call, type Entry, type EntryRef, type ExtraRoot, SHARED_WITH_ME } from '../driver.ts'
import type { DriveClient } from './client.ts'
import { entryOf } from './entry.ts'
import { fileOf } from './files.ts'

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

/** Driver.stat. Drive has a file with the id of each shared drive, which has neither its name nor a folder. */
export async function stat(client: DriveClient, call: Call, ref: EntryRef): Promise<Entry> {
  if (ref === SHARED_WITH_ME) return statRoot(client, call, ref)
  const file = await fileOf(client, call, 'stat', ref)
  return file.driveId && file.driveId === file.id ? statRoot(client, call, ref) : entryOf(file)
}
