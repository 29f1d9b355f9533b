import { changed, full, graphError, invalid, nameTaken, notFound } from './errors.ts'
import type { Content, Item, User } from './model.ts'
import { newId } from './state.ts'

/** Names differ neither by case nor by how accents are composed. */
export const fold = (name: string): string => name.normalize('NFC').toLowerCase()

export function itemById(user: User, id: string): Item {
  const item = id === 'root' ? user.items.get(user.rootId) : user.items.get(id)
  if (!item) throw notFound()
  return item
}

export function childNamed(user: User, parentId: string, name: string): Item | undefined {
  const id = user.children.get(parentId)?.get(fold(name))
  return id === undefined ? undefined : user.items.get(id)
}

export function childrenOf(user: User, parentId: string): Item[] {
  const ids = [...(user.children.get(parentId) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  return ids.flatMap(([, id]) => user.items.get(id) ?? [])
}

/** The path from the root, with a slash before each name; '' for the root. */
export function pathOf(user: User, item: Item): string {
  if (item.parentId === null) return ''
  const parent = user.items.get(item.parentId)
  return `${parent ? pathOf(user, parent) : ''}/${item.name}`
}

const RESERVED = /^(\.lock|con|prn|aux|nul|com[0-9]|lpt[0-9]|desktop\.ini)$/i
const MAX_NAME = 255
const MAX_PATH = 400

/** @throws GraphError for a name that cannot be stored there */
export function checkName(user: User, parent: Item, name: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused
  const isOdd = name === '' || /["*:<>?/\\|\u0000-\u001f\u007f]/.test(name) || /^ |[ .]$/.test(name)
  const isReserved = RESERVED.test(name) || name.startsWith('~$') || name.toLowerCase().includes('_vti_')
  if (isOdd || isReserved || name.length > MAX_NAME) throw invalid('The provided name is not valid.')
  if (pathOf(user, parent).length + 1 + name.length > MAX_PATH) throw invalid('The path is too long.', 'pathIsTooLong')
}

function hasRoomFor(user: User, bytes: number): boolean {
  return user.usedBytes + user.recycledBytes + user.usedByOthersBytes + bytes <= user.quotaBytes
}

export const sizeOf = (item: Item): number => item.content?.bytes.size ?? 0

type NewItem = Pick<Item, 'name' | 'kind'> & Partial<Pick<Item, 'content' | 'mimeType' | 'ownTimes'>>

/** Adds an item to a folder in which the name is free. */
export function addItem(user: User, parent: Item, given: NewItem, now: number): Item {
  const { name, kind, content = null, mimeType = 'application/octet-stream', ownTimes = {} } = given
  const item: Item = {
    id: newId(),
    name,
    parentId: parent.id,
    kind,
    content,
    mimeType,
    created: now,
    modified: now,
    ownTimes,
    version: 1,
    contentVersion: 1,
    permissions: [],
  }
  user.items.set(item.id, item)
  if (kind === 'folder') user.children.set(item.id, new Map())
  user.children.get(parent.id)?.set(fold(name), item.id)
  user.usedBytes += sizeOf(item)
  user.changes.push(item.id)
  return item
}

/** Replaces the content of a file. */
export function setContent(user: User, item: Item, content: Content, now: number): void {
  user.usedBytes += content.bytes.size - sizeOf(item)
  void item.content?.bytes.letGo()
  Object.assign(item, { content, modified: now, version: item.version + 1, contentVersion: item.contentVersion + 1 })
  user.changes.push(item.id)
}

/** Another name, folder or time. @throws GraphError */
export function changeItem(
  user: User,
  item: Item,
  { name = item.name, parent, ownTimes }: { name?: string; parent?: Item; ownTimes?: Item['ownTimes'] },
): void {
  const target = parent ?? itemById(user, item.parentId ?? '')
  if (target.kind !== 'folder') throw invalid('The target is not a folder.')
  for (let above: Item | undefined = target; above; above = user.items.get(above.parentId ?? '')) {
    if (above === item) throw invalid('A folder cannot be moved into itself.')
  }
  checkName(user, target, name)
  const other = childNamed(user, target.id, name)
  if (other && other !== item) throw nameTaken()
  user.children.get(item.parentId ?? '')?.delete(fold(item.name))
  user.children.get(target.id)?.set(fold(name), item.id)
  Object.assign(item, { name, parentId: target.id, version: item.version + 1 })
  if (ownTimes) item.ownTimes = { ...item.ownTimes, ...ownTimes }
  user.changes.push(item.id)
}

/** Takes an item away with all below it, which is one change. `recycled`: its bytes still count. */
export function removeItem(user: User, item: Item, recycled: boolean): void {
  if (item.parentId === null) throw graphError(403, 'accessDenied', 'The root cannot be deleted.')
  takeAway(user, item, recycled)
  user.changes.push(item.id)
}

function takeAway(user: User, item: Item, recycled: boolean): void {
  for (const child of childrenOf(user, item.id)) takeAway(user, child, recycled)
  const parentId = item.parentId ?? ''
  user.items.delete(item.id)
  user.children.delete(item.id)
  user.children.get(parentId)?.delete(fold(item.name))
  user.gone.set(item.id, parentId)
  user.usedBytes -= sizeOf(item)
  if (recycled) user.recycledBytes += sizeOf(item)
  void item.content?.bytes.letGo()
}

export type Store = {
  readonly parent: Item
  readonly name: string
  /** 'fail', 'replace' or 'rename'. */
  readonly conflict: string
  readonly content: Content
  readonly mimeType: string
  readonly ownTimes: Item['ownTimes']
}

/** Stores a content under a name. The content is the item's then. @throws GraphError */
export function storeFile(user: User, { parent, name, conflict, content, ...more }: Store, now: number): Item {
  checkName(user, parent, name)
  const existing = childNamed(user, parent.id, name)
  if (existing && (conflict === 'fail' || existing.kind !== 'file')) throw nameTaken()
  const isReplaced = existing !== undefined && conflict === 'replace'
  if (!hasRoomFor(user, content.bytes.size - (isReplaced ? sizeOf(existing) : 0))) throw full()
  if (isReplaced) {
    setContent(user, existing, content, now)
    existing.ownTimes = { ...more.ownTimes }
    return existing
  }
  const free = existing ? freeName(user, parent, name) : name
  return addItem(user, parent, { name: free, kind: 'file', content, ...more }, now)
}

function freeName(user: User, parent: Item, name: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 1; ; number += 1) {
    const candidate = `${stem} ${number}${extension}`
    if (!childNamed(user, parent.id, candidate)) return candidate
  }
}

/** `If-Match` takes the eTag or the cTag. @throws GraphError */
export function checkMatch(item: Item, header: string | undefined): void {
  if (header !== undefined && header !== eTagOf(item) && header !== cTagOf(item)) throw changed()
}

export const eTagOf = ({ id, version }: Item): string => `"{${id}},${version}"`
export const cTagOf = ({ id, contentVersion }: Item): string => `"c:{${id}},${contentVersion}"`
