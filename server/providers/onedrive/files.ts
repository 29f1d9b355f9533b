import type { Call, Entry, EntryRef } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { childUrl, type GraphClient, itemUrl, KIND, type OneDriveContext, referenceTo } from './client.ts'
import { entryOf, type GraphItem, ITEM_FIELDS } from './entry.ts'

/** @throws NotFound, also for items in the recycle bin */
export function itemOf(client: GraphClient, call: Call, operation: string, ref: string): Promise<GraphItem> {
  return client.ask<GraphItem>(call, operation, { url: `${itemUrl(ref)}?$select=${ITEM_FIELDS}` })
}

/** What has this name in a folder, whatever the case of letters; null when the name is free. */
export function itemNamed(
  client: GraphClient,
  call: Call,
  operation: string,
  parent: EntryRef,
  name: string,
): Promise<GraphItem | null> {
  const url = `${childUrl(parent, name).slice(0, -1)}?$select=${ITEM_FIELDS}`
  return client.ask<GraphItem>(call, operation, { url }).catch(nothingWhen('NotFound'))
}

export async function stat(client: GraphClient, call: Call, ref: EntryRef): Promise<Entry> {
  return entryOf(await itemOf(client, call, 'stat', ref))
}

/** @throws Conflict when a file has the name */
export async function ensureFolder(client: GraphClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef> {
  checkName(name, 'ensureFolder')
  const known = await folderNamed(client, call, parent, name)
  if (known !== null) return known
  const made = await client
    .ask<GraphItem>(call, 'ensureFolder', {
      method: 'POST',
      url: `${itemUrl(parent)}/children`,
      body: { name, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
    })
    .catch(nothingWhen('Conflict'))
  if (made) return made.id as EntryRef
  const other = await folderNamed(client, call, parent, name)
  if (other !== null) return other
  throw new ProviderError(
    'Transient',
    { provider: KIND, operation: 'ensureFolder' },
    { message: 'The folder appears and disappears.' },
  )
}

async function folderNamed(client: GraphClient, call: Call, parent: EntryRef, name: string): Promise<EntryRef | null> {
  const item = await itemNamed(client, call, 'ensureFolder', parent, name)
  if (item === null) return null
  if (entryOf(item).kind === 'folder') return item.id as EntryRef
  throw new ProviderError('Conflict', { provider: KIND, operation: 'ensureFolder' }, { message: 'A file is there.' })
}

/** Keeps the id. @throws NotFound, Conflict */
export async function move(
  context: OneDriveContext,
  call: Call,
  ref: EntryRef,
  { parent, name }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  if (name !== undefined) checkName(name, 'move')
  const parentReference = parent === undefined ? null : { id: (await referenceTo(context, call, parent)).id }
  const moved = await context.client.ask<GraphItem>(call, 'move', {
    method: 'PATCH',
    url: `${itemUrl(ref)}?@microsoft.graph.conflictBehavior=fail`,
    body: { ...(name !== undefined && { name }), ...(parentReference && { parentReference }) },
  })
  return entryOf(moved)
}

/** Answers of a service that cannot delete permanently, or must not: policies keep files in the recycle bin. */
const NOT_PERMANENTLY = [400, 403, 405, 501]

/** Deletes permanently, because the recycle bin can count against the quota; where that is refused, into the recycle bin. */
export async function remove(client: GraphClient, call: Call, ref: string): Promise<void> {
  const url = itemUrl(ref)
  try {
    await client.tell(call, 'delete', { method: 'POST', url: `${url}/permanentDelete` })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'NotFound') return
    if (!NOT_PERMANENTLY.includes(error.where.status ?? 0)) throw error
    await recycle(client, call, ref)
  }
}

/** Deletes into the recycle bin. */
export async function recycle(client: GraphClient, call: Call, ref: string): Promise<void> {
  await client.tell(call, 'delete', { method: 'DELETE', url: itemUrl(ref) }).catch(nothingWhen('NotFound'))
}

export const MAX_NAME = 255

const RESERVED = /^(\.lock|con|prn|aux|nul|com\d|lpt\d|desktop\.ini)$/i

/**
 * Whether OneDrive accepts a name (support.microsoft.com, "Restrictions and limitations in OneDrive and SharePoint"), as far as is
 * known before it is called.
 */
export function isName(name: string): boolean {
  if (name === '' || name.length > MAX_NAME) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused
  if (/["*:<>?/\\|\u0000-\u001f\u007f]|\p{Surrogate}/u.test(name)) return false
  if (/^ |[ .]$/.test(name) || name.startsWith('~$') || name.toLowerCase().includes('_vti_')) return false
  return !RESERVED.test(name)
}

/** @throws BadName */
export function checkName(name: string, operation: string): void {
  if (isName(name)) return
  throw new ProviderError('BadName', { provider: KIND, operation }, { message: 'OneDrive does not accept this name.' })
}
