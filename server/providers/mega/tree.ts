import { abortable } from '../../lib/concurrency.ts'
import type { Call, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { MegaClient } from './client.ts'
import { decryptKey, fromBase64 } from './crypto.ts'
import { failed, KIND, MEGA, megaError } from './errors.ts'
import { type Keys, type MegaNode, NODE, readNode } from './nodes.ts'
import { readTreeReply } from './treeReply.ts'

/** The root of every account, whose handle is known only after the first call. */
export const ROOT = 'root' as EntryRef

/**
 * The nodes of one account. MEGA has no call for a single node or folder: clients load everything once and then apply what the account
 * reports as changed.
 */
export type Tree = {
  /** Brings the tree up to date. @returns handles of what has changed, if it was up to date at `since` (see `sn`) */
  sync(call: Call, since?: string): Promise<ReadonlySet<string> | null>
  /** Whether it was loaded before, by this process. */
  readonly isLoaded: boolean
  /** The account's sequence number, up to which the tree is up to date. */
  readonly sn: string
  /** Changes whenever a node is added, moved or removed. */
  readonly version: number
  readonly keys: Keys
  readonly root: string
  readonly trash: string
  /** Any node, also in the trash. */
  find(ref: string): MegaNode | null
  /** A node in the account's own tree: outside of the trash, and not an older version of a file. */
  get(ref: string): MegaNode | null
  /** Whether the node is in the trash. */
  isTrashed(node: MegaNode): boolean
  /** Nodes in a folder. */
  children(folder: string): MegaNode[]
  all(): Iterable<MegaNode>
  /** Applies the result of an own call, which the account reports later. */
  put(node: MegaNode): void
  remove(ref: string): void
}

/** What happened in the account, as `sc` reports it. */
export type Feed = { readonly sn: string; readonly packets: readonly Packet[]; readonly hasMore: boolean }
type Packet = Readonly<Record<string, unknown>>

/** One page of what happened since `sn`. @throws CursorReset when that is too long ago, or unknown */
export async function readFeed(client: MegaClient, call: Call, operation: string, sn: string): Promise<Feed> {
  const answer = await client.poll(call, operation, sn)
  const where = { provider: KIND, operation }
  const number: unknown = Array.isArray(answer) ? answer[0] : answer
  if (typeof number === 'number') {
    // -6: more has happened than MEGA keeps (SDK: "too many pending updates").
    const isReset = number === MEGA.tooMany || number === -2 || number === MEGA.notFound
    const error = megaError(number, where)
    throw isReset ? new ProviderError('CursorReset', error.where, error.detail) : error
  }
  const { a, sn: next, w } = (answer ?? {}) as { a?: unknown; sn?: unknown; w?: unknown }
  const packets = Array.isArray(a) ? (a as Packet[]) : []
  if (typeof next !== 'string' && typeof w !== 'string')
    throw failed(operation, 'Transient', 'The feed is not readable.')
  return { sn: typeof next === 'string' ? next : sn, packets, hasMore: typeof w !== 'string' && packets.length > 0 }
}

/** Handles of nodes in a packet, with those that it reports as they are now. */
export function readPacket(packet: Packet): { readonly gone: string | null; readonly nodes: readonly MegaNode[] } {
  const { a, n, t } = packet
  if (a === 'd' && typeof n === 'string') return { gone: n, nodes: [] }
  if (a !== 't') return { gone: null, nodes: [] }
  const { f, f2 } = (t ?? {}) as { f?: unknown; f2?: unknown }
  const values = [...(Array.isArray(f) ? f : []), ...(Array.isArray(f2) ? f2 : [])]
  return { gone: null, nodes: values.flatMap((value: unknown) => readNode(value) ?? []) }
}

/** Handle of the node that a packet gives other attributes. */
export const renamedIn = ({ a, n }: Packet): string | null => (a === 'u' && typeof n === 'string' ? n : null)

/** More levels than an account can have; a tree with a cycle must not hang the server. */
const MAX_DEPTH = 10_000

/** What one run changed; `since` null: everything was loaded again. */
type Run = { readonly since: string | null; readonly touched: ReadonlySet<string> }

type State = {
  sn: string
  readonly nodes: Map<string, MegaNode>
  readonly children: Map<string, Set<string>>
  readonly shares: Map<string, Buffer>
  readonly root: string
  readonly trash: string
}

export function createTree(client: MegaClient, master: Buffer, user: string): Tree {
  let state: State | null = null
  let version = 0
  let running: Promise<Run> | null = null
  let next: Promise<Run> | null = null

  const loaded = (): State => {
    if (state) return state
    throw failed('tree', 'Transient', 'The tree is not loaded.')
  }
  const put = (to: State, node: MegaNode): void => {
    const before = to.nodes.get(node.h)
    if (before && before.p !== node.p) to.children.get(before.p)?.delete(node.h)
    to.nodes.set(node.h, node)
    const siblings = to.children.get(node.p)
    if (siblings) siblings.add(node.h)
    else to.children.set(node.p, new Set([node.h]))
    version += 1
  }
  /** `isMove`: the node, with everything below it, is reported again at another place. */
  const remove = (from: State, ref: string, isMove: boolean): void => {
    const node = from.nodes.get(ref)
    if (!node) return
    if (!isMove) for (const child of [...(from.children.get(ref) ?? [])]) remove(from, child, false)
    if (!isMove) from.children.delete(ref)
    from.children.get(node.p)?.delete(ref)
    from.nodes.delete(ref)
    version += 1
  }
  const apply = (to: State, packet: Packet, touched: Set<string>): void => {
    const { gone, nodes } = readPacket(packet)
    if (gone !== null) {
      touched.add(gone)
      remove(to, gone, packet.m === 1)
    }
    for (const node of nodes) {
      touched.add(node.h)
      put(to, node)
    }
    const renamed = renamedIn(packet)
    const node = renamed === null ? undefined : to.nodes.get(renamed)
    if (node && typeof packet.at === 'string') {
      touched.add(node.h)
      const ts = typeof packet.ts === 'number' ? packet.ts : node.ts
      const k = typeof packet.k === 'string' && packet.k !== '' ? packet.k : node.k
      to.nodes.set(node.h, { ...node, a: packet.at, k, ts })
    }
    // A folder is shared from now on: those who share it can add nodes with the share's key.
    if (typeof packet.ok === 'string' && typeof packet.n === 'string') readShare(to, packet.n, packet.ok)
  }
  const readShare = (to: State, handle: string, key: string): void => {
    const bytes = fromBase64(key)
    if (bytes.length === 16) to.shares.set(handle, decryptKey(master, bytes))
  }

  async function load(call: Call): Promise<State> {
    const nodes: MegaNode[] = []
    const own: Partial<Record<number, string>> = {}
    const take = (value: unknown): void => {
      const node = readNode(value)
      if (!node) return
      if (node.t > NODE.folder) own[node.t] ??= node.h
      nodes.push(node)
    }
    const response = await client.open(call, 'tree', { a: 'f', c: 1, r: 1 })
    const { sn, f, ok } = await readReply(response.body, take)
    for (const value of Array.isArray(f) ? f : []) take(value)
    const root = own[NODE.root]
    const trash = own[NODE.trash]
    if (root === undefined || trash === undefined || typeof sn !== 'string') {
      throw failed('tree', 'Transient', 'The response has no tree.')
    }
    const fresh: State = { sn, nodes: new Map(), children: new Map(), shares: new Map(), root, trash }
    for (const node of nodes) put(fresh, node)
    for (const share of Array.isArray(ok) ? (ok as { h?: unknown; k?: unknown }[]) : []) {
      if (typeof share.h === 'string' && typeof share.k === 'string') readShare(fresh, share.h, share.k)
    }
    return fresh
  }

  async function run(requestId: string): Promise<Run> {
    // Not aborted by any caller: others wait for the same result.
    const call: Call = { signal: new AbortController().signal, requestId }
    const touched = new Set<string>()
    const reload = async (): Promise<Run> => {
      state = await load(call)
      return { since: null, touched }
    }
    if (!state) return reload()
    const since = state.sn
    try {
      for (let hasMore = true; hasMore; ) {
        const feed = await readFeed(client, call, 'tree', state.sn)
        for (const packet of feed.packets) apply(state, packet, touched)
        state.sn = feed.sn
        hasMore = feed.hasMore
      }
      return { since, touched }
    } catch (error) {
      if (!(error instanceof ProviderError && error.code === 'CursorReset')) throw error
      return reload()
    }
  }

  /** One run at a time. A caller waits for a run that began after its call. */
  function begin(requestId: string): Promise<Run> {
    if (!running) {
      running = run(requestId).finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        next = null
        return begin(requestId)
      })
    return next
  }

  const rootOf = (node: MegaNode): string | null => {
    const { nodes } = loaded()
    let at = node
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      if (at.t > NODE.folder) return at.h
      const parent = nodes.get(at.p)
      // Older versions of a file are below it.
      if (!parent || parent.t === NODE.file) return null
      at = parent
    }
    return null
  }
  const find = (ref: string): MegaNode | null => loaded().nodes.get(ref === ROOT ? loaded().root : ref) ?? null

  return {
    async sync(call, since) {
      call.signal.throwIfAborted()
      const ran = await abortable(call.signal, begin(call.requestId))
      return since !== undefined && since === ran.since ? ran.touched : null
    },
    get isLoaded() {
      return state !== null
    },
    get sn() {
      return loaded().sn
    },
    get version() {
      return version
    },
    get keys() {
      return { master, user, shares: loaded().shares }
    },
    get root() {
      return loaded().root
    },
    get trash() {
      return loaded().trash
    },
    find,
    get(ref) {
      const node = find(ref)
      return node && rootOf(node) === loaded().root ? node : null
    },
    isTrashed: (node) => rootOf(node) === loaded().trash,
    children(folder) {
      const { children, nodes } = loaded()
      return [...(children.get(folder) ?? [])].flatMap((handle) => nodes.get(handle) ?? [])
    },
    all: () => loaded().nodes.values(),
    put: (node) => put(loaded(), node),
    remove: (ref) => remove(loaded(), ref, false),
  }
}

type Reply = { readonly sn?: unknown; readonly f?: unknown; readonly ok?: unknown }

/** The response to `f` without its nodes, which are passed to `onNode`. */
async function readReply(body: Parameters<typeof readTreeReply>[0], onNode: (value: unknown) => void): Promise<Reply> {
  const where = { provider: KIND, operation: 'tree' }
  try {
    const answer: unknown = JSON.parse(await readTreeReply(body, onNode))
    const result: unknown = Array.isArray(answer) ? answer[0] : answer
    if (typeof result === 'number') throw megaError(result, where)
    return (result ?? {}) as Reply
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ProviderError('Transient', where, { message: 'The response is not JSON.', cause: error })
  }
}
