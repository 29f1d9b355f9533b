import type { Call, Change, ChangePage, Entry, EntryRef } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { KIND, type PcloudClient, type PcloudContext } from './client.ts'
import { checkName, entryOf, idIn, isFolder, type Metadata, numberOf, ROOT } from './entry.ts'
import { metadataOfFolder } from './listing.ts'

type WithMetadata = { readonly metadata: Metadata }

/** @throws NotFound, also for what is in the trash */
export async function stat(client: PcloudClient, call: Call, ref: EntryRef, operation = 'stat'): Promise<Entry> {
  // Folders have no other method.
  const { metadata } = isFolder(ref)
    ? await client.ask<WithMetadata>(call, operation, 'listfolder', { ...idIn(ref, operation), nofiles: 1 })
    : await client.ask<WithMetadata>(call, operation, 'stat', idIn(ref, operation))
  return entryOf(metadata)
}

/** To the trash: apps cannot empty it. */
export async function remove(client: PcloudClient, call: Call, ref: EntryRef): Promise<void> {
  const method = isFolder(ref) ? 'deletefolderrecursive' : 'deletefile'
  await client.ask(call, 'delete', method, idIn(ref, 'delete')).catch(nothingWhen('NotFound'))
}

/** @throws Conflict when a file has the name */
export async function ensureFolder(
  client: PcloudClient,
  call: Call,
  parent: EntryRef,
  name: string,
): Promise<EntryRef> {
  checkName(name, 'ensureFolder')
  const place = { folderid: numberOf(parent, 'ensureFolder'), name }
  const { metadata } = await client.ask<WithMetadata>(call, 'ensureFolder', 'createfolderifnotexists', place)
  return metadata.id as EntryRef
}

/**
 * Keeps the ref. pCloud replaces a file that has the name, so the folder is read before; another program that writes the same name at
 * that moment loses its file to its earlier versions. @throws NotFound, Conflict
 */
export async function move(
  client: PcloudClient,
  call: Call,
  ref: EntryRef,
  { parent, name }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  if (name !== undefined) checkName(name, 'move')
  const now = await stat(client, call, ref, 'move')
  const folder = parent ?? now.details?.parent ?? ROOT
  const wanted = name ?? now.name
  const { named: taken } = await entriesNamed(client, call, 'move', folder, wanted)
  if (taken && taken.ref !== ref) {
    throw new ProviderError('Conflict', { provider: KIND, operation: 'move' }, { message: 'The name is in use.' })
  }
  const target = { tofolderid: numberOf(folder, 'move'), toname: wanted }
  const method = isFolder(ref) ? 'renamefolder' : 'renamefile'
  const { metadata } = await client.ask<WithMetadata>(call, 'move', method, { ...idIn(ref, 'move'), ...target })
  return entryOf(metadata)
}

export type Namesakes = {
  readonly named: Entry | null
  /** With a name that pCloud gives when this one is in use: "a (1).txt" for "a.txt". */
  readonly numbered: readonly Entry[]
}

/** pCloud finds by whole paths only, which a folder's ref does not tell: the folder is listed. */
export async function entriesNamed(
  client: PcloudClient,
  call: Call,
  operation: string,
  folder: EntryRef,
  name: string,
): Promise<Namesakes> {
  const { contents = [] } = await metadataOfFolder(client, call, operation, folder)
  const found = contents.find((one) => one.name === name)
  const numbered = contents.filter((one) => one.name !== name && one.name.replace(NUMBER, '') === name)
  return { named: found ? entryOf(found) : null, numbered: numbered.map(entryOf) }
}

/** Before the extension, or at the end of a name without one. */
const NUMBER = / \(\d+\)(?=\.[^.]*$|$)/

/** SHA-1 of a file, which pCloud has in both regions. */
export async function sha1Of(
  client: PcloudClient,
  call: Call,
  operation: string,
  ref: EntryRef,
): Promise<string | null> {
  const { sha1 } = await client.ask<{ sha1?: string }>(call, operation, 'checksumfile', idIn(ref, operation))
  return sha1?.toLowerCase() ?? null
}

type Diff = {
  readonly diffid: string
  readonly entries: readonly { readonly event: string; readonly metadata?: Metadata }[]
}

/** Driver.changes, by the account's log of events: they are in order, and have the state that they lead to. */
export async function changes(
  { client, limits }: PcloudContext,
  call: Call,
  cursor: string | null,
): Promise<ChangePage> {
  if (cursor === null) {
    const { diffid } = await client.ask<Diff>(call, 'changes', 'diff', { last: 0 })
    return { changes: [], cursor: diffid, hasMore: false }
  }
  if (!/^\d+$/.test(cursor)) throw resetOf('This is not a position of pCloud.')
  const limit = limits.pageSize
  const page = await client.ask<Diff>(call, 'changes', 'diff', { diffid: cursor, limit }).catch((error: unknown) => {
    throw isFailure(error, 'Permanent') ? resetOf('pCloud does not know the position.') : error
  })
  // The log begins again: what was before is not in it any more.
  if (page.entries.some(({ event }) => event === 'reset')) throw resetOf('The events begin again.')
  const found = page.entries.flatMap(changeOf)
  return { changes: found, cursor: page.diffid, hasMore: page.entries.length >= limit }
}

const EVENT = /^(create|modify|delete)(file|folder)$/

function changeOf({ event, metadata }: Diff['entries'][number]): Change[] {
  const [, what] = EVENT.exec(event) ?? []
  if (what === undefined || !metadata || metadata.id === ROOT) return []
  const ref = metadata.id as EntryRef
  const isGone = what === 'delete' || metadata.isdeleted === true
  return [{ ref, entry: isGone ? null : entryOf(metadata) }]
}

const resetOf = (message: string): ProviderError =>
  new ProviderError('CursorReset', { provider: KIND, operation: 'changes' }, { message })
