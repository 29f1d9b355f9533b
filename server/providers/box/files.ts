import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { type BoxContext, KIND } from './client.ts'
import { type BoxItem, entryOf, FIELDS, idOf, isFolder, pathOf, refOf } from './entry.ts'
import { conflictOf } from './errors.ts'

/** @throws NotFound, also for items in the trash */
export function itemAt(client: ApiClient, call: Call, operation: string, ref: EntryRef): Promise<BoxItem> {
  return client.ask<BoxItem>(call, operation, { method: 'GET', url: pathOf(ref, operation), query: { fields: FIELDS } })
}

export async function stat(client: ApiClient, call: Call, ref: EntryRef): Promise<Entry> {
  return entryOf(await itemAt(client, call, 'stat', ref))
}

type Items = { readonly entries: readonly BoxItem[]; readonly next_marker?: string | null }

/** @throws NotFound */
export async function readFolder(
  { client, limits }: BoxContext,
  call: Call,
  operation: string,
  folder: EntryRef,
  marker: string | null,
): Promise<Page<Entry>> {
  if (!isFolder(folder)) {
    throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'It is not a folder.' })
  }
  const page = await client.ask<Items>(call, operation, {
    method: 'GET',
    url: `${pathOf(folder, operation)}/items`,
    query: { usemarker: 'true', limit: String(limits.pageSize), fields: FIELDS, marker: marker ?? undefined },
  })
  const items = page.entries.filter(({ type, id }) => refOf(type, id) !== null).map(entryOf)
  return { items, cursor: page.next_marker || null }
}

/** @throws Conflict when a file has the name */
export async function ensureFolder(client: ApiClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef> {
  const operation = 'ensureFolder'
  try {
    const made = await client.ask<BoxItem>(call, operation, {
      method: 'POST',
      url: '/folders',
      query: { fields: 'type,id' },
      json: { name, parent: { id: idOf(parent) } },
    })
    return refOf('folder', made.id) as EntryRef
  } catch (error) {
    const known = isFailure(error, 'Conflict') ? conflictOf(error) : null
    if (known?.type === 'folder') return refOf('folder', known.id) as EntryRef
    throw error
  }
}

/** Keeps the ref. @throws NotFound, Conflict */
export async function move(
  client: ApiClient,
  call: Call,
  ref: EntryRef,
  { parent, name }: { parent?: EntryRef; name?: string },
  operation = 'move',
): Promise<Entry> {
  const moved = await client.ask<BoxItem>(call, operation, {
    method: 'PUT',
    url: pathOf(ref, operation),
    query: { fields: FIELDS },
    json: { ...(name !== undefined && { name }), ...(parent !== undefined && { parent: { id: idOf(parent) } }) },
  })
  return entryOf(moved)
}

/** To the trash; some companies have none. @throws NotFound */
async function removeItem(client: ApiClient, call: Call, operation: string, ref: EntryRef): Promise<void> {
  const query = isFolder(ref) ? { recursive: 'true' } : {}
  const response = await client.send(call, operation, { method: 'DELETE', url: pathOf(ref, operation), query })
  response.dispose()
}

/** Permanently, unless the account's administrator forbids that: then it stays in the trash. */
export async function remove(client: ApiClient, call: Call, ref: EntryRef): Promise<void> {
  await removeItem(client, call, 'delete', ref).catch(nothingWhen('NotFound'))
  try {
    const response = await client.send(call, 'delete', { method: 'DELETE', url: trashOf(ref, 'delete') })
    response.dispose()
  } catch (error) {
    if (!isFailure(error, 'NotFound') && !isFailure(error, 'Forbidden')) throw error
  }
}

const trashOf = (ref: EntryRef, operation: string): string => `${pathOf(ref, operation)}/trash`

/** Driver.trash. */
export async function trash(client: ApiClient, call: Call, ref: EntryRef): Promise<void> {
  try {
    await removeItem(client, call, 'trash', ref)
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error
    const query = { fields: 'type,id' }
    await client.ask(call, 'trash', { method: 'GET', url: trashOf(ref, 'trash'), query })
  }
}

/** Driver.restore. Box restores into another folder only where the original one is gone, so the item may have to be moved. */
export async function restore(client: ApiClient, call: Call, ref: EntryRef, parent: EntryRef): Promise<Entry> {
  const id = idOf(parent)
  const restored = await client
    .ask<BoxItem>(call, 'restore', {
      method: 'POST',
      url: pathOf(ref, 'restore'),
      query: { fields: FIELDS },
      json: { parent: { id } },
    })
    .catch(nothingWhen('NotFound'))
  // Not in the trash: it is moved, or does not exist.
  return restored?.parent?.id === id ? entryOf(restored) : move(client, call, ref, { parent }, 'restore')
}

export const MAX_NAME = 255

/** Whether Box accepts a name, as far as is known before it is called. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > MAX_NAME) return false
  return !/[/\\]|\p{Cc}|\p{Surrogate}|\s$/u.test(name)
}

/** @throws BadName */
export function checkName(name: string, operation: string): void {
  if (isName(name)) return
  throw new ProviderError('BadName', { provider: KIND, operation }, { message: 'Box does not accept this name.' })
}
