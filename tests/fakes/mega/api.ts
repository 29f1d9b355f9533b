import type { Exchange } from '../core/service.ts'
import { ctr, decode, ecb, encode, encryptSession, macOf, readAttributes, rsa, splitFileKey } from './crypto.ts'
import {
  addNode,
  type Content,
  happened,
  MegaError,
  type Node,
  newHandle,
  openSession,
  removeNode,
  type State,
  sequenceOf,
  shown,
  topOf,
  treeOf,
  type Upload,
  type User,
  usedBytes,
} from './state.ts'

/** One command, as it was sent. */
export type Command = Readonly<Record<string, unknown>> & { readonly a: string }

type Context = { readonly state: State; readonly exchange: Exchange; readonly session: string | null }
type Signed = Context & { readonly user: User }

const EARGS = -2
const ENOENT = -9
const ECIRCULAR = -10
const EACCESS = -11
const ESID = -15
const EOVERQUOTA = -17
const EKEY = -14

/** The host that names it first, then the storage server. */
export const API_HOST = 'g.api.mega.co.nz'
export const STORAGE_HOST = 'gfs270n001.userstorage.mega.co.nz'

const text = (value: unknown): string => {
  if (typeof value === 'string') return value
  throw new MegaError(EARGS)
}

/** What one command comes to. @throws MegaError */
export async function perform(context: Context, command: Command): Promise<unknown> {
  const open = OPEN[command.a]
  if (open) return open(context, command)
  const user = context.session === null ? undefined : context.state.sessions.get(context.session)
  if (!user) throw new MegaError(ESID)
  const known = COMMANDS[command.a]
  if (!known) throw new MegaError(EARGS)
  return known({ ...context, user }, command)
}

/** Before the login. */
const OPEN: Readonly<Record<string, (context: Context, command: Command) => unknown>> = {
  us0({ state }, { user }) {
    const found = state.users.get(text(user))
    // Whether an address is known is not said.
    if (!found) return { v: 2, s: encode(Buffer.alloc(16, 7)) }
    return found.version === 2 ? { v: 2, s: encode(found.salt) } : { v: 1 }
  },
  us({ state }, { user, uh, mfa }) {
    const found = state.users.get(text(user))
    state.logins.set(text(user), (state.logins.get(text(user)) ?? 0) + 1)
    if (!found || found.secrets().proof !== text(uh)) throw new MegaError(ENOENT)
    if (found.code !== null && mfa === undefined) throw new MegaError(-26)
    if (found.code !== null && mfa !== found.code) throw new MegaError(-5)
    const session = openSession(state, found)
    const csid = encryptSession(session, rsa())
    return { csid, privk: found.privateKey, k: found.secrets().encryptedMasterKey, u: found.handle, ach: 1 }
  },
}

const COMMANDS: Readonly<Record<string, (context: Signed, command: Command) => unknown>> = {
  ug: ({ user }) => ({
    u: user.handle,
    email: user.email,
    name: user.name,
    s: 1,
    c: 1,
    k: user.secrets().encryptedMasterKey,
  }),
  uq({ user }) {
    const sums = Object.fromEntries(
      [user.root, user.trash].map((h) => {
        const all = treeOf(user, nodeOf(user, h))
        const files = all.filter(({ t }) => t === 0)
        return [h, [files.reduce((sum, { s }) => sum + s, 0), files.length, all.length - files.length - 1, 0, 0]]
      }),
    )
    return { mstrg: user.quotaBytes, cstrg: usedBytes(user), cstrgn: sums, utype: 0 }
  },
  f: ({ user }) => ({
    f: [...user.nodes.values()].map((node) => shown(user, node)),
    ok: [],
    s: [],
    u: [{ u: user.handle, c: 2, m: user.email }],
    sn: sequenceOf(user),
  }),
  sml({ state, session }) {
    if (session !== null) state.sessions.delete(session)
    return 0
  },
  u({ state, user, exchange }, { s }) {
    if (typeof s !== 'number' || !Number.isInteger(s) || s < 0) throw new MegaError(EARGS)
    if (exchange.take('full') || usedBytes(user) + s > user.quotaBytes) throw new MegaError(EOVERQUOTA)
    const id = newHandle(12)
    state.uploads.set(id, { user, size: s, parts: new Map(), handle: null, content: null })
    return { p: `https://${STORAGE_HOST}/ul/${id}` }
  },
  p: putNodes,
  g({ user }, { n }) {
    const node = nodeOf(user, text(n))
    if (!node.content) throw new MegaError(EACCESS)
    return { s: node.s, at: node.a, g: `https://${STORAGE_HOST}/dl/${node.content.id}`, pfa: 1 }
  },
  m({ state, user }, { n, t, i }) {
    const [node, target] = [nodeOf(user, text(n)), nodeOf(user, text(t))]
    if (target.t === 0 || node.t > 1) throw new MegaError(EACCESS)
    if (treeOf(user, node).includes(target)) throw new MegaError(ECIRCULAR)
    moveNode(state, user, node, target.h, i)
    return 0
  },
  a({ state, user }, { n, attr, key, i }) {
    const node = nodeOf(user, text(n))
    if (node.t > 1) throw new MegaError(EACCESS)
    checkKey(user, node.t, text(key ?? node.k), text(attr))
    if (key !== undefined && key !== node.k) throw new MegaError(EKEY)
    renameNode(state, user, node, text(attr), i)
    return 0
  },
  d({ state, user }, { n, i }) {
    const node = nodeOf(user, text(n))
    if (node.t > 1) throw new MegaError(EACCESS)
    removeNode(user, node)
    happened(state, user, { a: 'd', n: node.h, ou: user.handle, ...(i !== undefined && { i }) })
    return 0
  },
  l({ user }, { n, d }) {
    const node = nodeOf(user, text(n))
    if (node.t > 1) throw new MegaError(EACCESS)
    if (d === 1) {
      node.ph = null
      return 0
    }
    node.ph ??= newHandle(6)
    return node.ph
  },
}

function nodeOf({ nodes }: User, handle: string): Node {
  const node = nodes.get(handle)
  if (node) return node
  throw new MegaError(ENOENT)
}

/** A move is a deletion followed by everything that was moved, at its new place. */
export function moveNode(state: State, user: User, node: Node, parent: string, i?: unknown): void {
  node.p = parent
  const mark = i === undefined ? {} : { i }
  happened(state, user, { a: 'd', n: node.h, m: 1, ou: user.handle, ...mark })
  reportNodes(state, user, treeOf(user, node), i)
}

export function reportNodes(state: State, user: User, nodes: readonly Node[], i?: unknown): void {
  const mark = i === undefined ? {} : { i }
  happened(state, user, { a: 't', t: { f: nodes.map((node) => shown(user, node)) }, ou: user.handle, ...mark })
}

export function renameNode(state: State, user: User, node: Node, attributes: string, i?: unknown): void {
  node.a = attributes
  const mark = i === undefined ? {} : { i }
  happened(state, user, { a: 'u', n: node.h, u: user.handle, at: attributes, ts: node.ts, ...mark })
}

/** The real MEGA cannot check this: here, a program that encrypts wrongly is told. @returns the key */
function checkKey({ masterKey }: User, type: number, encrypted: string, attributes: string): Buffer {
  const bytes = decode(encrypted)
  if (bytes.length !== (type === 0 ? 32 : 16)) throw new MegaError(EKEY)
  const key = ecb(masterKey, bytes, 'decrypt')
  const own = type === 0 ? splitFileKey(key).key : key
  if (readAttributes(own, attributes) === null) throw new MegaError(EKEY)
  return key
}

type Given = { readonly h: string; readonly t: number; readonly a: string; readonly k: string }

/** New folders, uploaded files and copies of files. */
async function putNodes({ state, user, exchange }: Signed, { t, n, i }: Command): Promise<unknown> {
  const parent = nodeOf(user, text(t))
  if (parent.t === 0) throw new MegaError(EACCESS)
  if (!Array.isArray(n) || n.length === 0) throw new MegaError(EARGS)
  const made: Node[] = []
  const isVanishing = (n as Given[]).some((given) => given.t === 0) && exchange.take('vanish') !== null
  for (const given of n as Given[]) {
    const key = checkKey(user, given.t, text(given.k), text(given.a))
    const file = given.t === 0 ? await contentOf(state, user, exchange, given.h, key) : { content: null, s: 0 }
    if (usedBytes(user) + file.s > user.quotaBytes) throw new MegaError(EOVERQUOTA)
    made.push(addNode(state, user, { p: parent.h, t: given.t, a: given.a, k: given.k, ...file }))
  }
  const result = { f: made.map((node) => shown(user, node)) }
  if (isVanishing) for (const node of made) user.nodes.delete(node.h)
  else reportNodes(state, user, made, i)
  if (isVanishing) happened(state, user, { a: 'd', n: made[0]?.h, ou: user.handle })
  return result
}

/** Of an upload by its handle, or of the file that is copied. Checks that the key is that of the bytes. */
async function contentOf(
  state: State,
  user: User,
  exchange: Exchange,
  handle: string,
  key: Buffer,
): Promise<{ content: Content; s: number }> {
  const copied = handle.length === 8 ? nodeOf(user, handle) : null
  if (copied) {
    if (!copied.content) throw new MegaError(EACCESS)
    if (!ecb(user.masterKey, decode(copied.k), 'decrypt').equals(key)) throw new MegaError(EKEY)
    return { content: copied.content, s: copied.s }
  }
  const upload = [...state.uploads.values()].find((one) => one.handle === handle && one.user === user)
  if (!upload?.content) throw new MegaError(ENOENT)
  await checkContent(upload, key)
  const short = exchange.take('truncate')
  if (!short) return { content: upload.content, s: upload.size }
  const size = Math.max(0, upload.size - (short.bytes ?? 1))
  const blob = state.blobs.create()
  for await (const part of upload.content.blob.read(0, size) as AsyncIterable<Buffer>) await blob.append(part)
  const content = { blob, id: newHandle(12) }
  state.contents.set(content.id, content)
  return { content, s: size }
}

/** More would have to be kept in memory, for no other mistake to be found. */
const CHECKED_BYTES = 64 * 1024 * 1024

async function checkContent({ content, size }: Upload, packed: Buffer): Promise<void> {
  if (!content || size > CHECKED_BYTES || size === 0) return
  const { key, nonce, mac } = splitFileKey(packed)
  const parts: Buffer[] = []
  for await (const part of content.blob.read() as AsyncIterable<Buffer>) parts.push(part)
  if (!macOf(key, nonce, ctr(key, nonce, Buffer.concat(parts))).equals(mac)) throw new MegaError(EKEY)
}

/** Whether a file is visible: in the root, and in a folder. */
export function isVisible(user: User, node: Node): boolean {
  return node.t < 2 && topOf(user, node) === user.root
}
