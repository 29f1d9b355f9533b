import { graphError, invalid } from './errors.ts'
import type { Item, User } from './model.ts'
import { type Call, conflictOf, itemAt, jsonOf, type Target } from './route.ts'
import { addItem, changeItem, checkMatch, checkName, childNamed, childrenOf, itemById, removeItem } from './tree.ts'
import { selected, viewOf } from './view.ts'

export async function getItem({ exchange, user }: Call, target: Target): Promise<void> {
  const fields = exchange.url.searchParams.get('$select')
  await exchange.sendJson(200, selected(viewOf(user, itemAt(user, target)), fields))
}

const MAX_PAGE = 1000
const DEFAULT_PAGE = 200

export async function listChildren({ exchange, user }: Call, target: Target): Promise<void> {
  const query = exchange.url.searchParams
  const folder = itemAt(user, target)
  const all = childrenOf(user, folder.id)
  const after = query.get('$skiptoken')
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const page = all.slice(from, from + pageSize(query))
  const last = page.at(-1)
  const hasMore = from + page.length < all.length
  await exchange.sendJson(200, {
    value: page.map((item) => selected(viewOf(user, item), query.get('$select'))),
    ...(hasMore && last && { '@odata.nextLink': linkWith(exchange.url, '$skiptoken', last.id) }),
  })
}

export function pageSize(query: URLSearchParams): number {
  const asked = Number(query.get('$top') ?? DEFAULT_PAGE)
  if (!(asked > 0)) throw invalid('Invalid value for $top.')
  return Math.min(asked, MAX_PAGE)
}

/** The same address with another parameter. */
export function linkWith(url: URL, name: string, value: string): string {
  const link = new URL(url)
  link.searchParams.set(name, value)
  return link.href
}

export async function createFolder({ state, exchange, user }: Call, target: Target): Promise<void> {
  const body = await jsonOf(exchange)
  const parent = itemAt(user, target)
  const { name } = body
  if (typeof name !== 'string' || typeof body.folder !== 'object')
    throw invalid('A name and a folder facet are needed.')
  if (parent.kind !== 'folder') throw invalid('The parent is not a folder.')
  checkName(user, parent, name)
  const existing = childNamed(user, parent.id, name)
  const conflict = body['@microsoft.graph.conflictBehavior'] ?? 'fail'
  if (existing && (conflict !== 'replace' || existing.kind !== 'folder')) {
    throw graphError(409, 'nameAlreadyExists', 'Name already exists')
  }
  const folder = existing ?? addItem(user, parent, { name, kind: 'folder' }, state.now())
  await exchange.sendJson(201, viewOf(user, folder))
}

type Reference = { readonly id?: string; readonly path?: string; readonly driveId?: string }

/** The folder that a body names. @throws GraphError */
function folderOf(user: User, reference: unknown): Item | undefined {
  if (reference === undefined) return undefined
  const { id, path, driveId } = reference as Reference
  if (driveId !== undefined && driveId.toLowerCase() !== user.driveId.toLowerCase()) {
    throw invalid('Moving to another drive is not supported.')
  }
  if (id !== undefined) {
    // The alias is for addresses only.
    if (id === 'root') throw invalid('The id is not valid.', 'invalidResourceId')
    return itemById(user, id)
  }
  const names = (path ?? '').replace(/^\/drive(s\/[^/]+)?\/root:?/, '').split('/')
  return itemAt(user, { base: 'root', path: names.filter(Boolean).map(decodeURIComponent) })
}

export async function updateItem({ exchange, user }: Call, target: Target): Promise<void> {
  const body = await jsonOf(exchange)
  const item = itemAt(user, target)
  checkMatch(item, exchange.request.headers['if-match'])
  const { name, fileSystemInfo } = body as { name?: string; fileSystemInfo?: Item['ownTimes'] }
  const parent = folderOf(user, body.parentReference)
  changeItem(user, item, {
    ...(name !== undefined && { name }),
    ...(parent && { parent }),
    ...(fileSystemInfo && { ownTimes: fileSystemInfo }),
  })
  await exchange.sendJson(200, viewOf(user, item))
}

export async function deleteItem({ exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  checkMatch(item, exchange.request.headers['if-match'])
  removeItem(user, item, true)
  await exchange.send(204)
}

export async function deletePermanently({ exchange, user }: Call, target: Target): Promise<void> {
  const item = itemAt(user, target)
  if (user.refusesPermanentDelete) throw graphError(403, 'accessDenied', 'A retention policy holds the item.')
  removeItem(user, item, false)
  await exchange.send(204)
}

/** Starts a copy in the background, which is done at once, and says so later. */
export async function copyItem({ state, exchange, user }: Call, target: Target): Promise<void> {
  const body = await jsonOf(exchange)
  const item = itemAt(user, target)
  const parent = folderOf(user, body.parentReference) ?? itemById(user, item.parentId ?? 'root')
  const name = typeof body.name === 'string' ? body.name : item.name
  checkName(user, parent, name)
  const taken = childNamed(user, parent.id, name) !== undefined
  // Only the services of organisations look before.
  if (taken && user.driveType === 'business' && conflictOf(exchange, 'fail') === 'fail') {
    throw graphError(409, 'nameAlreadyExists', 'Name already exists')
  }
  const { settings, copies } = state
  const code = settings.copyFails ?? (taken ? 'nameAlreadyExists' : null)
  const id = `4af1c6b2-${copies.size.toString(16).padStart(4, '0')}-copy`
  const result = code === null ? copied(state.now(), user, item, parent, name).id : null
  copies.set(id, { user, pendingPolls: settings.copyPolls, result, code })
  await exchange.send(202, { location: `https://my.microsoftpersonalcontent.com/_api/v2.0/monitor/${id}` })
}

function copied(now: number, user: User, item: Item, parent: Item, name: string): Item {
  const content = item.content && { ...item.content, bytes: item.content.bytes.keep() }
  const { kind, mimeType, ownTimes } = item
  const children = childrenOf(user, item.id)
  const copy = addItem(user, parent, { name, kind, content, mimeType, ownTimes }, now)
  for (const child of children) copied(now, user, child, copy, child.name)
  return copy
}
