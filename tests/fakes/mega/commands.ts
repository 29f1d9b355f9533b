import { createHash, randomBytes } from 'node:crypto'
import { isVisible, moveNode, renameNode, reportNodes } from './api.ts'
import { ctr, decode, ecb, encode, joinFileKey, macOf, readAttributes, sealAttributes, splitFileKey } from './crypto.ts'
import {
  addNode,
  addUser,
  childrenOf,
  happened,
  type NewUser,
  type Node,
  newHandle,
  openSession,
  removeNode,
  type State,
  type User,
  userOf,
} from './state.ts'

type OfUser = { readonly user: string }
type AtPath = OfUser & { readonly path: string }
type ById = OfUser & { readonly id: string }

export type MegaObject = {
  readonly id: string
  readonly path: string
  readonly isFolder: boolean
  readonly size: number
  /** Of the decrypted content; null for folders. */
  readonly sha256: string | null
}

export type MegaCommands = {
  /** A new, empty account. `code`: what its authenticator app shows, with two-factor authentication. */
  addUser(user: NewUser): void
  /** A session without a login, as stored credentials. */
  mintSession(of: OfUser): { session: string; masterKey: string; user: string }
  endSessions(of: OfUser): void
  setQuota(change: OfUser & { quotaBytes: number }): void
  /** Bytes that may still be downloaded, and when there are more. */
  setTransfer(change: OfUser & { bytesLeft: number; secondsLeft: number }): void
  /** The next `count` calls have to solve a challenge each: the more `easiness`, the faster. */
  challenge(change: { easiness: number; count: number }): void
  /** Makes all sequence numbers of before too old. */
  forget(of: OfUser): void
  /** Ends all uploads. */
  dropUploads(): void
  /** Ends the addresses from which contents can be downloaded; new ones can be asked for. */
  expireAddresses(of: OfUser): Promise<void>
  /** A file or folder of the user, with the folders that it is in. */
  plant(
    entry: AtPath & { text?: string; base64?: string; size?: number; folder?: boolean; modifiedAt?: string },
  ): Promise<{ id: string }>
  plantTree(tree: OfUser & { files: readonly { path: string; text?: string; base64?: string }[] }): Promise<void>
  /** As the user does it elsewhere: renames, moves or deletes. */
  alter(change: ById & { name?: string; parent?: string; remove?: boolean }): void
  /** As the user copies a file elsewhere, next to it: programs of MEGA keep all attributes but the name. */
  copy(of: ById & { name: string }): { id: string }
  trash(of: ById): void
  /** Another byte in the middle of a stored content, as if the storage were damaged. */
  damage(of: ById): Promise<void>
  objects(of: OfUser): Promise<MegaObject[]>
  logins(of: OfUser): number
}

export function createCommands(state: State): MegaCommands {
  const find = ({ user, id }: ById): { owner: User; node: Node } => {
    const owner = userOf(state, user)
    const node = owner.nodes.get(id)
    if (!node) throw new Error(`There is no ${id}.`)
    return { owner, node }
  }
  const commands: MegaCommands = {
    addUser: (user) => void addUser(state, user),
    mintSession({ user }) {
      const owner = userOf(state, user)
      return { session: encode(openSession(state, owner)), masterKey: encode(owner.masterKey), user: owner.handle }
    },
    endSessions({ user }) {
      const owner = userOf(state, user)
      for (const [session, one] of [...state.sessions]) if (one === owner) state.sessions.delete(session)
    },
    setQuota({ user, quotaBytes }) {
      userOf(state, user).quotaBytes = quotaBytes
    },
    setTransfer({ user, bytesLeft, secondsLeft }) {
      userOf(state, user).transfer = { bytesLeft, secondsLeft }
    },
    challenge({ easiness, count }) {
      state.challenge = { easiness, token: encode(randomBytes(48)), left: count }
    },
    forget({ user }) {
      const owner = userOf(state, user)
      happened(state, owner, { a: 'ua', u: owner.handle })
      owner.forgotten += owner.packets.length
      owner.packets.length = 0
    },
    dropUploads: () => state.uploads.clear(),
    async expireAddresses({ user }) {
      for (const { content } of userOf(state, user).nodes.values()) {
        if (!content) continue
        state.contents.delete(content.id)
        Object.assign(content, { id: newHandle(12) })
        state.contents.set(content.id, content)
      }
    },
    async plant({ user, path, text, base64, size = 0, folder = false, modifiedAt }) {
      const owner = userOf(state, user)
      const names = path.split('/').filter(Boolean)
      const name = names.pop() ?? ''
      const parent = folderAt(state, owner, names)
      if (folder) return { id: folderAt(state, owner, [...names, name]) }
      const bytes = text !== undefined ? Buffer.from(text) : base64 ? Buffer.from(base64, 'base64') : randomBytes(size)
      return { id: (await plantFile(state, owner, parent, name, bytes, modifiedAt)).h }
    },
    async plantTree({ user, files }) {
      for (const file of files) await commands.plant({ user, ...file })
    },
    alter({ name, parent, remove = false, ...of }) {
      const { owner, node } = find(of)
      if (parent !== undefined) moveNode(state, owner, node, parent)
      if (name !== undefined) {
        const key = keyOf(owner, node)
        const attributes = readAttributes(key, node.a) ?? { n: '' }
        renameNode(state, owner, node, sealAttributes(key, { ...attributes, n: name }))
      }
      if (!remove) return
      removeNode(owner, node)
      happened(state, owner, { a: 'd', n: node.h, ou: owner.handle })
    },
    copy({ name, ...of }) {
      const { owner, node } = find(of)
      const key = keyOf(owner, node)
      const a = sealAttributes(key, { ...readAttributes(key, node.a), n: name })
      const { p, t, k, s, content } = node
      const copied = addNode(state, owner, { p, t, a, k, s, content })
      reportNodes(state, owner, [copied])
      return { id: copied.h }
    },
    trash(of) {
      const { owner, node } = find(of)
      moveNode(state, owner, node, owner.trash)
    },
    async damage(of) {
      const { node } = find(of)
      if (!node.content) throw new Error('It has no content.')
      const bytes = await readAll(node)
      const at = Math.floor(bytes.length / 2)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      const blob = state.blobs.create()
      await blob.append(bytes)
      Object.assign(node.content, { blob })
    },
    async objects({ user }) {
      const owner = userOf(state, user)
      return Promise.all(
        [...owner.nodes.values()].filter((node) => isVisible(owner, node)).map((node) => show(owner, node)),
      )
    },
    logins: ({ user }) => state.logins.get(user) ?? 0,
  }
  return commands
}

function keyOf({ masterKey }: User, node: Node): Buffer {
  const key = ecb(masterKey, decode(node.k), 'decrypt')
  return node.t === 0 ? splitFileKey(key).key : key
}

const nameOf = (user: User, node: Node): string => readAttributes(keyOf(user, node), node.a)?.n ?? ''

/** The folder with these names, which is made where it is missing. */
function folderAt(state: State, user: User, names: readonly string[]): string {
  let parent = user.root
  for (const name of names) {
    const known = childrenOf(user, parent).find((node) => node.t === 1 && nameOf(user, node) === name)
    parent = known?.h ?? plantFolder(state, user, parent, name).h
  }
  return parent
}

function plantFolder(state: State, user: User, parent: string, name: string): Node {
  const key = randomBytes(16)
  const k = encode(ecb(user.masterKey, key, 'encrypt'))
  const node = addNode(state, user, { p: parent, t: 1, a: sealAttributes(key, { n: name }), k, s: 0, content: null })
  reportNodes(state, user, [node])
  return node
}

async function plantFile(
  state: State,
  user: User,
  parent: string,
  name: string,
  bytes: Buffer,
  modifiedAt: string | undefined,
): Promise<Node> {
  const [key, nonce] = [randomBytes(16), randomBytes(8)]
  const blob = state.blobs.create()
  await blob.append(ctr(key, nonce, bytes))
  const content = { blob, id: newHandle(12) }
  state.contents.set(content.id, content)
  const packed = joinFileKey(key, nonce, macOf(key, nonce, bytes))
  const a = sealAttributes(key, { n: name, ...(modifiedAt && { c: fingerprint(new Date(modifiedAt)) }) })
  const k = encode(ecb(user.masterKey, packed, 'encrypt'))
  const node = addNode(state, user, { p: parent, t: 0, a, k, s: bytes.length, content })
  reportNodes(state, user, [node])
  return node
}

/** The checksum is none; the time is what is read. */
function fingerprint(modifiedAt: Date): string {
  const seconds = Buffer.alloc(5)
  seconds[0] = 4
  seconds.writeUInt32LE(Math.floor(modifiedAt.getTime() / 1000), 1)
  return encode(Buffer.concat([Buffer.alloc(16), seconds]))
}

async function readAll({ content }: Node): Promise<Buffer> {
  const parts: Buffer[] = []
  if (content) for await (const part of content.blob.read() as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}

async function show(user: User, node: Node): Promise<MegaObject> {
  const names: string[] = []
  for (let at: Node | undefined = node; at && at.t < 2; at = user.nodes.get(at.p)) names.unshift(nameOf(user, at))
  const { key, nonce } =
    node.t === 0 ? splitFileKey(ecb(user.masterKey, decode(node.k), 'decrypt')) : { key: null, nonce: null }
  const plain = key && nonce ? ctr(key, nonce, await readAll(node)) : null
  return {
    id: node.h,
    path: `/${names.join('/')}`,
    isFolder: node.t === 1,
    size: node.s,
    sha256: plain && createHash('sha256').update(plain).digest('hex'),
  }
}
