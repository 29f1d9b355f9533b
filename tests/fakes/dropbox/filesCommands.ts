import { createHash, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Bytes, receive, sha256Of } from './bytes.ts'
import type { Entry, FileEntry, User } from './model.ts'
import { nameOf, problemOf } from './paths.ts'
import { contentHashOf } from './sessions.ts'
import { type State, userOf } from './state.ts'
import { findById, findEntry, hasFileAbove, newId, newRev, putEntry, takeEntry, withParents } from './tree.ts'
import { putFile } from './write.ts'

/** One of: a text, bytes, or so many bytes that look random and are the same for the same path. */
type Content = {
  readonly text?: string
  readonly base64?: string
  readonly size?: number
  /** Formats that it can be exported in, instead of being downloaded. */
  readonly exportOptions?: readonly string[]
  /** When it was last changed on the device that it came from, in ISO 8601 with seconds; by default now. */
  readonly modified?: string
}
type Which = { readonly user: string; readonly path?: string; readonly id?: string }
type Plant = Content & {
  readonly user: string
  readonly path: string
  /** Makes a folder instead. */
  readonly folder?: boolean
  /** A folder that another user shares with this one, who may only read what is in it, or also write. */
  readonly shared?: 'READ' | 'WRITE'
  /** More than one: the path gets a number at its end. */
  readonly count?: number
}
type Alter = Which & Content & { readonly to?: string; readonly flipAt?: number }

/** Things done to files from outside, without any app. */
export function filesCommands(state: State) {
  async function plant({ user, path, folder = false, shared, count = 1, ...content }: Plant) {
    const owner = userOf(state, user)
    const ids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const at = count === 1 ? path : `${path}${String(index).padStart(5, '0')}`
      const isFolder = folder || shared !== undefined
      ids.push((isFolder ? plantFolder(owner, at, shared) : await plantFile(state, owner, at, content)).id)
    }
    return { id: ids[0], ids }
  }

  return {
    plant,
    /** Many files with the folders above them. */
    async plantTree({ user, files }: { readonly user: string; readonly files: readonly Omit<Plant, 'user'>[] }) {
      for (const file of files) await plant({ ...file, user })
    },
    /** New content, one wrong bit, or another path, for a file whose id stays. */
    alter: (body: Alter) => alter(state, body),
    async remove(which: Which) {
      const owner = userOf(state, which.user)
      for (const file of takeEntry(owner, entryAt(owner, which))) await file.content.bytes.letGo()
    },
    /** Into the service's own trash, as a person deletes: `restore` brings it back under its id. */
    trash(which: Which) {
      const owner = userOf(state, which.user)
      const file = fileAt(owner, which)
      takeEntry(owner, file)
      owner.trash.set(file.id, file)
    },
    restore({ user, id }: { user: string; id: string }) {
      const owner = userOf(state, user)
      const file = owner.trash.get(id)
      if (!file) throw new Error(`${user} has no ${id} in the trash.`)
      checkFree(owner, file.path)
      owner.trash.delete(id)
      putEntry(owner, { ...file, path: withParents(owner, file.path), rev: newRev() })
    },
    /** All of the user, or what has this beginning; in the order it was made. */
    objects({ user, path = '' }: { user: string; path?: string }) {
      const inside = [...userOf(state, user).entries.values()].filter((entry) => entry.path.startsWith(path))
      return Promise.all(inside.map(describe))
    },
    async read(which: Which) {
      return { base64: (await contentOf(fileAt(userOf(state, which.user), which))).toString('base64') }
    },
  }
}

async function alter(state: State, { to, flipAt, ...body }: Alter): Promise<void> {
  const owner = userOf(state, body.user)
  const { id } = fileAt(owner, body)
  const current = (): FileEntry => fileAt(owner, { user: body.user, id })
  const isNew = body.text !== undefined || body.base64 !== undefined || body.size !== undefined
  if (isNew) await plantFile(state, owner, current().path, body, 'altered')
  if (flipAt !== undefined) await plantFile(state, owner, current().path, { base64: await flipped(current(), flipAt) })
  if (to !== undefined) renameFile(owner, current(), to)
}

/** A file or folder of a user, as tests compare it. */
async function describe(entry: Entry) {
  const { path, id } = entry
  const file = entry.kind === 'file' ? entry : null
  return {
    id,
    path,
    name: nameOf(path),
    isFolder: file === null,
    size: file?.content.bytes.size ?? null,
    rev: file?.rev ?? null,
    contentHash: file?.content.contentHash ?? null,
    sha256: file ? await sha256Of(file.content.bytes) : null,
  }
}

function entryAt(user: User, { path, id }: Which): Entry {
  const entry = id === undefined ? findEntry(user, path ?? '') : findById(user, id)
  if (!entry) throw new Error(`${user.email} has nothing at ${id ?? path}.`)
  return entry
}

function fileAt(user: User, which: Which): FileEntry {
  const entry = entryAt(user, which)
  if (entry.kind === 'file') return entry
  throw new Error(`${entry.path} is a folder.`)
}

function checkFree(user: User, path: string): void {
  const isFolder = findEntry(user, path)?.kind === 'folder'
  if (isFolder || problemOf(path) || hasFileAbove(user, path)) throw new Error(`Nothing can be stored at ${path}.`)
}

function plantFolder(user: User, path: string, shared?: Plant['shared']): Entry {
  const existing = findEntry(user, path)
  if (existing?.kind === 'folder') return existing
  checkFree(user, path)
  const folderId = String(randomInt(10_000_000_000, 99_999_999_999))
  const sharing = shared && { folderId, readOnly: shared === 'READ', isMount: true }
  putEntry(user, { kind: 'folder', id: newId(), path: withParents(user, path), sharing })
  return entryAt(user, { user: user.email, path })
}

async function plantFile(state: State, user: User, path: string, content: Content, seed = ''): Promise<Entry> {
  checkFree(user, path)
  const bytes = await bytesOf(state, content, path + seed)
  const existing = findEntry(user, path)
  const known = existing?.kind === 'file' ? existing.exportOptions : undefined
  const exportOptions = content.exportOptions ?? known
  const file = { path, id: existing?.id ?? newId(), clientModified: content.modified ?? null, exportOptions }
  return putFile(user, { ...file, content: { bytes, contentHash: await contentHashOf(bytes) } }, state.now())
}

function renameFile(user: User, file: FileEntry, to: string): void {
  checkFree(user, to)
  takeEntry(user, file)
  putEntry(user, { ...file, path: withParents(user, to) })
}

async function contentOf({ content }: FileEntry): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content.bytes.read(0, content.bytes.size)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function flipped(file: FileEntry, at: number): Promise<string> {
  const bytes = Buffer.from(await contentOf(file))
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64')
}

function bytesOf(state: State, { text, base64, size = 0 }: Content, seed: string): Promise<Bytes> {
  if (text !== undefined) return receive(state.blobs, Readable.from([Buffer.from(text)]))
  if (base64 !== undefined) return receive(state.blobs, Readable.from([Buffer.from(base64, 'base64')]))
  return receive(state.blobs, Readable.from(noise(seed, size)))
}

const NOISE_BYTES = 64 * 1024

function* noise(seed: string, size: number): Generator<Buffer> {
  for (let at = 0; at < size; at += NOISE_BYTES) {
    const hash = createHash('shake256', { outputLength: Math.min(NOISE_BYTES, size - at) })
    yield hash.update(`${seed}\n${at}`).digest()
  }
}
