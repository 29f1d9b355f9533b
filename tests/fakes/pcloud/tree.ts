import { type Content, type Item, newId, REFUSALS, type State, type User } from './state.ts'

export const ROOT_ID = 0
export const keyOf = ({ isFolder, id }: Pick<Item, 'isFolder' | 'id'>): string => `${isFolder ? 'd' : 'f'}${id}`

export function createRoot(now: number): Item {
  return {
    id: ROOT_ID,
    isFolder: true,
    name: '/',
    parent: null,
    content: null,
    createdAt: now,
    modifiedAt: now,
    rights: {},
  }
}

export function folderAt(user: User, id: number): Item {
  const folder = user.items.get(`d${id}`)
  if (!folder) throw REFUSALS.noFolder()
  return folder
}

export function fileAt(user: User, id: number): Item {
  const file = user.items.get(`f${id}`)
  if (!file) throw REFUSALS.noFile()
  return file
}

/** In no order. */
export const childrenOf = (user: User, folder: Item): Item[] =>
  [...user.items.values()].filter(({ parent }) => parent === folder.id)

export const namedIn = (user: User, folder: Item, name: string): Item | undefined =>
  childrenOf(user, folder).find((item) => item.name === name)

export function checkName(name: string | undefined): asserts name is string {
  const isBad = !name || name === '.' || name === '..' || name.includes('/') || name.includes('\0')
  if (isBad || Buffer.byteLength(name) > 1024 || name.length > 255) throw REFUSALS.badName()
}

export function usedBytes(user: User): number {
  const held = [...user.items.values(), ...user.trash.values()]
  return held.reduce((sum, { content }) => sum + (content?.bytes.length ?? 0), user.usedByOthersBytes)
}

export function checkRoom(user: User, bytes: number): void {
  if (usedBytes(user) + bytes > user.quotaBytes) throw REFUSALS.full()
}

export const dateOf = (at: number): string => new Date(at).toUTCString().replace('GMT', '+0000')

/** As the service describes an item; `hash` is put in as a number by `numbers`. */
export function view(item: Item): Record<string, unknown> {
  const { id, isFolder, name, parent, content, rights } = item
  return {
    name,
    id: keyOf(item),
    ...(isFolder ? { folderid: id } : { fileid: id }),
    ...(parent !== null && { parentfolderid: parent }),
    isfolder: isFolder,
    created: dateOf(item.createdAt),
    modified: dateOf(item.modifiedAt),
    ismine: true,
    isshared: false,
    thumb: false,
    icon: isFolder ? 'folder' : 'file',
    ...rights,
    ...(content && {
      size: content.bytes.length,
      hash: `#${content.hash}`,
      contenttype: /\.txt$/.test(name) ? 'text/plain' : 'application/octet-stream',
      category: 0,
    }),
  }
}

/** JSON whose hashes are numbers, too large for a double. */
export const numbers = (value: unknown): string => JSON.stringify(value).replace(/"#(\d+)"/g, '$1')

function announce(state: State, user: User, event: string, item: Item, isDeleted = false): void {
  const id = state.settings.firstEvent + user.events.length + 1
  const metadata = { ...view(item), ...(isDeleted && { isdeleted: true }) }
  user.events.push({ event: event + (item.isFolder ? 'folder' : 'file'), id, time: state.now(), metadata })
}

type NewItem = Pick<Item, 'isFolder' | 'name'> & {
  readonly folder: Item
  readonly content?: Content
  readonly modifiedAt?: number
  readonly rights?: Item['rights']
}

export function addItem(
  state: State,
  user: User,
  { folder, isFolder, name, content, modifiedAt, rights = {} }: NewItem,
): Item {
  const now = state.now()
  const item: Item = {
    id: newId(state),
    isFolder,
    name,
    parent: folder.id,
    content: content ?? null,
    createdAt: now,
    modifiedAt: modifiedAt ?? now,
    rights,
  }
  user.items.set(keyOf(item), item)
  announce(state, user, 'create', item)
  return item
}

export function changeItem(state: State, user: User, item: Item, changes: Partial<Item>): void {
  Object.assign(item, changes)
  announce(state, user, 'modify', item)
}

/** To the trash, with everything below it: one event. */
export function trashItem(state: State, user: User, item: Item): void {
  const all = [item]
  for (const one of all) if (one.isFolder) all.push(...childrenOf(user, one))
  for (const one of all) {
    user.items.delete(keyOf(one))
    user.trash.set(keyOf(one), one)
  }
  for (const [linkid, link] of user.links) if (all.includes(link.item)) user.links.delete(linkid)
  announce(state, user, 'delete', item, true)
}

/** The first of `a (1).txt`, `a (2).txt` … that is free. */
function freeName(user: User, folder: Item, name: string): string {
  const [, base = name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
  for (let number = 1; ; number += 1) {
    const candidate = `${base} (${number})${extension}`
    if (!namedIn(user, folder, candidate)) return candidate
  }
}

export type Placing = {
  readonly folder: Item
  readonly name: string
  readonly content: Content
  readonly modifiedAt: number | undefined
  readonly renameIfExists: boolean
  /** Replaces a file with this hash alone. */
  readonly ifHash: string | null
}

/** Stores a content under a name, and replaces what has it, unless it is told otherwise. */
export function placeFile(state: State, user: User, placing: Placing): Item {
  const { folder, name, content, modifiedAt, renameIfExists, ifHash } = placing
  const taken = namedIn(user, folder, name)
  checkRoom(user, content.bytes.length)
  const hasHash = taken?.content?.hash === ifHash
  if (taken && !taken.isFolder && !renameIfExists && (ifHash === null || hasHash)) {
    changeItem(state, user, taken, { content, modifiedAt: modifiedAt ?? state.now() })
    return taken
  }
  const free = taken ? freeName(user, folder, name) : name
  return addItem(state, user, { folder, isFolder: false, name: free, content, ...(modifiedAt && { modifiedAt }) })
}
