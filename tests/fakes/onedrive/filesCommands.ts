import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Bytes, receive, sha256Of } from '../dropbox/bytes.ts'
import type { Content, Item, User } from './model.ts'
import { quickXorOf } from './quickXor.ts'
import { type State, userOf } from './state.ts'
import { addItem, changeItem, childNamed, fold, itemById, pathOf, removeItem, setContent, sizeOf } from './tree.ts'

/** One of: a text, bytes, or so many bytes that look random and are the same for the same path. */
type Given = { readonly text?: string; readonly base64?: string; readonly size?: number }
type Which = { readonly user: string; readonly path?: string; readonly id?: string }
type Plant = Given & {
  readonly user: string
  readonly path: string
  readonly mimeType?: string
  /** Something else than a file: a OneNote notebook, or a shortcut to another drive. */
  readonly kind?: 'folder' | 'package' | 'remote'
  /** More than one: the path gets a number at its end. */
  readonly count?: number
}

/** Things done to files from outside, without any app. */
export function filesCommands(state: State) {
  async function plant({ user, path, count = 1, ...what }: Plant) {
    const owner = userOf(state, user)
    const ids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const at = count === 1 ? path : `${path}${String(index).padStart(5, '0')}`
      ids.push((await plantOne(state, owner, at, what)).id)
    }
    return { id: ids[0], ids }
  }
  return {
    plant,
    /** Many files with the folders above them. */
    async plantTree({ user, files }: { readonly user: string; readonly files: readonly Omit<Plant, 'user'>[] }) {
      for (const file of files) await plant({ ...file, user })
    },
    /** New content, one wrong bit, or another path, for an item whose id stays. */
    alter: (body: Which & Given & { readonly to?: string; readonly flipAt?: number }) => alter(state, body),
    /** Into the recycle bin, as a person deletes. */
    trash: (which: Which) => removeItem(userOf(state, which.user), itemAt(state, which), true),
    remove: (which: Which) => removeItem(userOf(state, which.user), itemAt(state, which), false),
    /** All of the user, or what has this beginning. */
    objects({ user, path = '' }: { user: string; path?: string }) {
      const owner = userOf(state, user)
      const all = [...owner.items.values()].filter((item) => item.parentId !== null)
      return Promise.all(
        all.filter((item) => pathOf(owner, item).startsWith(path)).map((item) => describe(owner, item)),
      )
    },
    async read(which: Which) {
      return { base64: (await readAll(contentOf(itemAt(state, which)))).toString('base64') }
    },
  }
}

async function describe(user: User, item: Item) {
  const { id, kind, content, ownTimes } = item
  return {
    id,
    path: pathOf(user, item),
    isFolder: kind === 'folder',
    size: sizeOf(item),
    sha256: content && (await sha256Of(content.bytes)),
    ownTimes,
  }
}

/** @throws Error when there is no such item */
function itemAt(state: State, { user, id, path }: Which): Item {
  const owner = userOf(state, user)
  if (id !== undefined) return itemById(owner, id)
  const names = (path ?? '').split('/').filter(Boolean)
  const found = names.reduce<Item | undefined>(
    (folder, name) => folder && childNamed(owner, folder.id, name),
    itemById(owner, 'root'),
  )
  if (!found) throw new Error(`${user} has nothing at ${path}.`)
  return found
}

/** The folder of a path, which is made where it is missing. */
function folderFor(state: State, user: User, path: string): { parent: Item; name: string } {
  const names = path.split('/').filter(Boolean)
  const name = names.pop() ?? ''
  const parent = names.reduce<Item>(
    (folder, one) =>
      childNamed(user, folder.id, one) ?? addItem(user, folder, { name: one, kind: 'folder' }, state.now()),
    itemById(user, 'root'),
  )
  return { parent, name }
}

async function plantOne(
  state: State,
  user: User,
  path: string,
  what: Omit<Plant, 'user' | 'path' | 'count'>,
): Promise<Item> {
  const { parent, name } = folderFor(state, user, path)
  const existing = childNamed(user, parent.id, name)
  const { kind = 'file', mimeType = 'application/octet-stream' } = what
  if (kind !== 'file') return existing ?? addItem(user, parent, { name, kind }, state.now())
  const content = await contentFrom(state, what, path)
  if (!existing) return addItem(user, parent, { name, kind, content, mimeType }, state.now())
  setContent(user, existing, content, state.now())
  return existing
}

async function alter(
  state: State,
  { to, flipAt, ...body }: Which & Given & { readonly to?: string; readonly flipAt?: number },
): Promise<void> {
  const user = userOf(state, body.user)
  const item = itemAt(state, body)
  const isNew = body.text !== undefined || body.base64 !== undefined || body.size !== undefined
  if (isNew) setContent(user, item, await contentFrom(state, body, `${item.id} altered`), state.now())
  if (flipAt !== undefined) {
    const bytes = await readAll(contentOf(item))
    bytes[flipAt] = (bytes[flipAt] ?? 0) ^ 1
    setContent(user, item, await contentFrom(state, { base64: bytes.toString('base64') }, ''), state.now())
  }
  if (to !== undefined) changeItem(user, item, folderFor(state, user, to))
}

function contentOf({ content, name }: Item): Content {
  if (content) return content
  throw new Error(`${name} has no content.`)
}

async function contentFrom(state: State, given: Given, seed: string): Promise<Content> {
  const bytes = await bytesFrom(state, given, seed)
  return { bytes, quickXor: await quickXorOf(bytes) }
}

function bytesFrom(state: State, { text, base64, size = 0 }: Given, seed: string): Promise<Bytes> {
  if (text !== undefined) return receive(state.blobs, Readable.from([Buffer.from(text)]))
  if (base64 !== undefined) return receive(state.blobs, Readable.from([Buffer.from(base64, 'base64')]))
  return receive(state.blobs, Readable.from(noise(fold(seed), size)))
}

const NOISE_BYTES = 64 * 1024

function* noise(seed: string, size: number): Generator<Buffer> {
  for (let at = 0; at < size; at += NOISE_BYTES) {
    const hash = createHash('shake256', { outputLength: Math.min(NOISE_BYTES, size - at) })
    yield hash.update(`${seed}\n${at}`).digest()
  }
}

async function readAll({ bytes }: Content): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes.read(0, bytes.size)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
