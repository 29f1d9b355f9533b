import { createHash } from 'node:crypto'
import { BoxRefusal, notFound } from './errors.ts'
import { type BoxEvent, type Content, type Item, newId, type State, type User } from './state.ts'
import { view } from './view.ts'

export const ROOT_ID = '0'

/** Files, folders and bookmarks count their ids separately. */
export const keyOf = ({ type, id }: Pick<Item, 'type' | 'id'>): string => `${type} ${id}`

export const fold = (name: string): string => name.normalize('NFC').toLowerCase()

export function createRoot(now: number): Item {
  return blank('folder', ROOT_ID, 'All Files', null, now)
}

function blank(type: Item['type'], id: string, name: string, parent: string | null, now: number): Item {
  return {
    type,
    id,
    name,
    parent,
    content: null,
    versionId: '',
    etag: 0,
    createdAt: now,
    modifiedAt: now,
    contentModifiedAt: now,
    trashed: false,
    link: null,
    denied: [],
  }
}

export const folderAt = (user: User, id: string | null): Item | undefined => user.items.get(`folder ${id}`)

export function isVisible(user: User, item: Item): boolean {
  for (let at: Item | undefined = item; at; at = folderAt(user, at.parent)) {
    if (at.trashed) return false
    if (at.parent === null) return true
  }
  return false
}

/** @throws BoxRefusal 404, also for what is in the trash */
export function lookUp(user: User, type: Item['type'], id: string): Item {
  const item = user.items.get(`${type} ${id}`)
  if (!item) throw notFound()
  if (!isVisible(user, item)) throw new BoxRefusal(404, 'trashed')
  return item
}

export function childrenOf(user: User, folderId: string): Item[] {
  return [...user.items.values()].filter((item) => item.parent === folderId && !item.trashed)
}

const LONGEST_NAME = 255

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '' || name === '.' || name === '..')
    throw new BoxRefusal(400, 'item_name_invalid')
  if (name.length > LONGEST_NAME) throw new BoxRefusal(400, 'item_name_too_long')
  if (/[/\\\p{Cc}]|\s$/u.test(name)) throw new BoxRefusal(400, 'item_name_invalid')
}

/** @throws BoxRefusal 409 when another item of the folder has the name */
export function checkFree(user: User, folderId: string, name: string, own: Item | null, asList = false): void {
  const taken = childrenOf(user, folderId).find((item) => item !== own && fold(item.name) === fold(name))
  if (!taken) return
  const conflict = view(user, taken, ['type', 'id', 'sequence_id', 'etag', 'sha1', 'name', 'file_version'])
  throw new BoxRefusal(409, 'item_name_in_use', { conflicts: asList ? [conflict] : conflict })
}

export function usedBytes(user: User): number {
  return [...user.items.values()].reduce((sum, { content }) => sum + (content?.size ?? 0), user.usedByOthersBytes)
}

/** @throws BoxRefusal 403 */
export function checkRoom(user: User, size: number): void {
  if (size > user.maxUploadBytes) throw new BoxRefusal(403, 'file_size_limit_exceeded')
  if (user.quotaBytes !== null && usedBytes(user) + size > user.quotaBytes)
    throw new BoxRefusal(403, 'storage_limit_exceeded')
}

function announce(user: User, type: string, item: Item): void {
  const event: BoxEvent = {
    event_id: createHash('sha1').update(`${user.id} ${user.events.length}`).digest('hex'),
    event_type: type,
    source: view(user, item, null),
  }
  user.events.push(event)
}

type NewItem = {
  readonly type: Item['type']
  readonly name: string
  readonly parent: string
  readonly content?: Content
  readonly contentModifiedAt?: number
}

export function addItem(
  state: State,
  user: User,
  { type, name, parent, content, contentModifiedAt }: NewItem,
  event: string,
): Item {
  const now = state.now()
  const item = blank(type, newId(state), name, parent, now)
  Object.assign(item, {
    content: content ?? null,
    versionId: newId(state),
    contentModifiedAt: contentModifiedAt ?? now,
  })
  user.items.set(keyOf(item), item)
  announce(user, event, item)
  return item
}

export function changeItem(state: State, user: User, item: Item, changes: Partial<Item>, event: string): void {
  Object.assign(item, changes, { etag: item.etag + 1, modifiedAt: state.now() })
  announce(user, event, item)
}

export function newVersion(state: State, user: User, item: Item, content: Content, contentModifiedAt?: number): void {
  const changes = { content, versionId: newId(state), contentModifiedAt: contentModifiedAt ?? state.now() }
  changeItem(state, user, item, changes, 'ITEM_UPLOAD')
}

/** Permanently, with everything below it that was not moved to the trash by itself. */
export function purge(user: User, item: Item): void {
  for (const child of item.type === 'folder' ? [...user.items.values()] : []) {
    if (child.parent === item.id && !child.trashed) purge(user, child)
  }
  user.items.delete(keyOf(item))
}

/** A copy of a folder has copies of its contents. */
export function copyItem(state: State, user: User, item: Item, parent: string, name: string): Item {
  const { type, content, contentModifiedAt } = item
  const copied = addItem(
    state,
    user,
    { type, name, parent, contentModifiedAt, ...(content && { content }) },
    'ITEM_COPY',
  )
  if (type === 'folder')
    for (const child of childrenOf(user, item.id)) copyItem(state, user, child, copied.id, child.name)
  return copied
}

/** @throws BoxRefusal 412 */
export function checkEtag(item: Item, wanted: string | undefined): void {
  if (wanted !== undefined && wanted.replaceAll('"', '') !== String(item.etag))
    throw new BoxRefusal(412, 'precondition_failed')
}

export function contentOf(bytes: Buffer): Content {
  const sha1 = createHash('sha1').update(bytes).digest('hex')
  return { size: bytes.length, sha1, read: (start, end) => bytes.subarray(start, end) }
}
