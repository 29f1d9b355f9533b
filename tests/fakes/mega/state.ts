import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { type Blob, type Blobs, createBlobs } from '../core/blobs.ts'
import { decode, derive, deriveOld, ecb, encode, rsa } from './crypto.ts'

/** What is answered with a negative number in place of a result. */
export class MegaError extends Error {
  constructor(readonly number: number) {
    super(`MEGA error ${number}`)
  }
}

export type Node = {
  readonly h: string
  p: string
  /** 0 file, 1 folder, 2 root, 3 inbox, 4 trash. */
  readonly t: number
  a: string
  /** The key, encrypted with the master key. */
  readonly k: string
  readonly ts: number
  readonly s: number
  readonly content: Content | null
  /** Handle of its public link. */
  ph: string | null
}

/** Encrypted bytes, which several nodes can have. */
export type Content = { readonly blob: Blob; readonly id: string }

export type Upload = {
  readonly user: User
  readonly size: number
  /** By their offsets. */
  readonly parts: Map<number, Buffer>
  /** Known once all parts are there. */
  handle: string | null
  content: Content | null
}

export type User = {
  readonly handle: string
  readonly email: string
  readonly name: string
  readonly version: 1 | 2
  readonly salt: Buffer
  readonly masterKey: Buffer
  /** What the password is turned into, which takes long: at the first login. */
  secrets(): { readonly proof: string; readonly encryptedMasterKey: string }
  readonly privateKey: string
  /** What the authenticator app shows; null without two-factor authentication. */
  readonly code: string | null
  quotaBytes: number
  /** Bytes that may still be downloaded, and until when (seconds) there are no more. */
  transfer: { bytesLeft: number; secondsLeft: number } | null
  readonly nodes: Map<string, Node>
  readonly root: string
  readonly trash: string
  /** What happened, oldest first; the first ones may be forgotten. */
  readonly packets: object[]
  forgotten: number
}

export type State = {
  readonly clock: () => number
  readonly blobs: Blobs
  /** By email address. */
  readonly users: Map<string, User>
  readonly sessions: Map<string, User>
  readonly uploads: Map<string, Upload>
  readonly contents: Map<string, Content>
  /** Emits the handle of a user to whom something happened. */
  readonly events: EventEmitter
  /** Challenges that have to be solved before calls are answered again: easiness and token. */
  challenge: { readonly easiness: number; readonly token: string; left: number } | null
  /** Logins per address, counted for tests. */
  readonly logins: Map<string, number>
}

export function createState(clock: () => number): State {
  return {
    clock,
    blobs: createBlobs(),
    users: new Map(),
    sessions: new Map(),
    uploads: new Map(),
    contents: new Map(),
    events: new EventEmitter().setMaxListeners(0),
    challenge: null,
    logins: new Map(),
  }
}

const newHandle = (bytes: number): string => encode(randomBytes(bytes))

export type NewUser = {
  readonly email: string
  readonly password: string
  readonly name?: string
  readonly version?: 1 | 2
  readonly code?: string
  readonly quotaBytes?: number
}

export function addUser(
  state: State,
  { email, password, name = email, version = 2, code, quotaBytes = 20e9 }: NewUser,
): User {
  const salt = randomBytes(16)
  const masterKey = randomBytes(16)
  const secrets = once(() => {
    const { key, proof } = version === 1 ? deriveOld(password, email) : derive(password, salt)
    return { proof, encryptedMasterKey: encode(ecb(key, masterKey, 'encrypt')) }
  })
  const own = [2, 3, 4].map(
    (t): Node => ({ h: newHandle(6), p: '', t, a: '', k: '', ts: now(state), s: 0, content: null, ph: null }),
  )
  const user: User = {
    handle: newHandle(8),
    email,
    name,
    version,
    salt,
    masterKey,
    secrets,
    privateKey: encode(ecb(masterKey, rsa().privateKey, 'encrypt')),
    code: code ?? null,
    quotaBytes,
    transfer: null,
    nodes: new Map(own.map((node) => [node.h, node])),
    root: own[0]?.h ?? '',
    trash: own[2]?.h ?? '',
    packets: [],
    forgotten: 0,
  }
  state.users.set(email, user)
  return user
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

const now = ({ clock }: State): number => Math.floor(clock() / 1000)

/** 43 bytes, of which none is lost as a leading zero. */
export function openSession(state: State, user: User): Buffer {
  const session = randomBytes(43)
  session[0] = (session[0] ?? 0) | 0x80
  state.sessions.set(encode(session), user)
  return session
}

export function userOf({ users }: State, email: string): User {
  const user = users.get(email)
  if (!user) throw new Error(`There is no user ${email}.`)
  return user
}

export const sequenceOf = (user: User, count = user.packets.length + user.forgotten): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(count) + 1_000_000n)
  return encode(bytes)
}

/** How many packets a sequence number stands for; null for others than the user's. */
export function countOf(user: User, sn: string): number | null {
  const bytes = decode(sn)
  if (bytes.length !== 8 || encode(bytes) !== sn) return null
  const count = Number(bytes.readBigUInt64BE()) - 1_000_000
  return count < 0 || count > user.packets.length + user.forgotten ? null : count
}

export function happened(state: State, user: User, packet: object): void {
  user.packets.push(packet)
  state.events.emit(user.handle)
}

/** As `f` and `t` report it. */
export function shown(user: User, { h, p, t, a, k, ts, s }: Node): object {
  if (t > 1) return { h, p: '', u: user.handle, t, a: '', k: '', ts }
  return { h, p, u: user.handle, t, a, k: `${user.handle}:${k}`, ts, ...(t === 0 && { s }) }
}

export function childrenOf({ nodes }: User, parent: string): Node[] {
  return [...nodes.values()].filter(({ p }) => p === parent)
}

/** The node, then everything below it. */
export function treeOf(user: User, node: Node): Node[] {
  return [node, ...childrenOf(user, node.h).flatMap((child) => treeOf(user, child))]
}

export const usedBytes = ({ nodes }: User): number => [...nodes.values()].reduce((sum, { s }) => sum + s, 0)

/** Where it is in the end: the root, the inbox or the trash. */
export function topOf(user: User, node: Node): string {
  const parent = user.nodes.get(node.p)
  return parent ? topOf(user, parent) : node.h
}

export function addNode(state: State, user: User, node: Omit<Node, 'h' | 'ts' | 'ph'> & { ts?: number }): Node {
  const added: Node = { ...node, h: newHandle(6), ts: node.ts ?? now(state), ph: null }
  user.nodes.set(added.h, added)
  return added
}

/** Removes the node with everything below it. */
export function removeNode(user: User, node: Node): void {
  for (const { h } of treeOf(user, node)) user.nodes.delete(h)
}

export { newHandle }
