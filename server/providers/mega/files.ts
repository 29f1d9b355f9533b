import { randomBytes } from 'node:crypto'
import type { Call, Entry, EntryRef } from '../driver.ts'
import { nothingWhen } from '../errors.ts'
import type { MegaClient } from './client.ts'
import { attributeKey, encryptAttributes, encryptKey, toBase64 } from './crypto.ts'
import { failed } from './errors.ts'
import type { Order } from './listing.ts'
import { entryOf, type MegaNode, NODE, type OpenNode, openNode, readNode } from './nodes.ts'
import type { Tree } from './tree.ts'

export type MegaLimits = {
  /** Largest part of an upload that is sent in one request. */
  readonly partBytes: number
  readonly pageSize: number
}

export type MegaContext = {
  readonly client: MegaClient
  readonly tree: Tree
  readonly order: Order
  readonly limits: MegaLimits
}

/** Of names; MEGA itself limits only the size of all attributes. */
export const MAX_NAME = 255

/** @throws BadName */
export function checkName(operation: string, name: string): void {
  const isBad = name === '' || name.length > MAX_NAME || /\p{Surrogate}|\0/u.test(name)
  if (isBad) throw failed(operation, 'BadName', 'MEGA does not accept this name.')
}

/** A node that is not in the trash. The tree must be up to date. @throws NotFound */
export function requireNode({ tree }: MegaContext, operation: string, ref: string): MegaNode {
  const node = tree.get(ref)
  if (node) return node
  throw failed(operation, 'NotFound', 'It does not exist, or is in the rubbish bin.')
}

/** @throws NotFound */
export function requireFolder(context: MegaContext, operation: string, ref: string): MegaNode {
  const node = requireNode(context, operation, ref)
  if (node.t !== NODE.file) return node
  throw failed(operation, 'NotFound', 'It is not a folder.')
}

/** @throws Forbidden without a key: others have added it to a shared folder */
export function requireKey({ tree }: MegaContext, operation: string, node: MegaNode): OpenNode {
  const opened = openNode(node, tree.keys)
  if (opened) return opened
  throw failed(operation, 'Forbidden', 'It cannot be decrypted: MEGA has no key of it for this account.')
}

/** Driver.stat. */
export async function stat(context: MegaContext, call: Call, ref: EntryRef): Promise<Entry> {
  await context.tree.sync(call)
  return entryOf(requireNode(context, 'stat', ref), context.tree.keys)
}

/** Nodes that a call has made, which are in the tree from now on. */
export function takeNodes({ tree }: MegaContext, operation: string, result: unknown): readonly MegaNode[] {
  const { f } = (result ?? {}) as { f?: unknown }
  const nodes = Array.isArray(f) ? f.flatMap((value: unknown) => readNode(value) ?? []) : []
  if (nodes.length === 0) throw failed(operation, 'Transient', 'The response has no node.')
  for (const node of nodes) tree.put(node)
  return nodes
}

/** Marks a request in the account's feed. */
export const requestMark = (): string => toBase64(randomBytes(8))

/** Driver.ensureFolder. Two processes may create the folder at once: all callers use the oldest one. */
export async function ensureFolder(
  context: MegaContext,
  call: Call,
  parent: EntryRef,
  name: string,
): Promise<EntryRef> {
  const { client, tree } = context
  checkName('ensureFolder', name)
  await tree.sync(call)
  const folder = requireFolder(context, 'ensureFolder', parent)
  const known = oldestFolder(context, folder.h, name)
  if (known !== null) return known
  const key = randomBytes(16)
  const node = {
    h: 'xxxxxxxx',
    t: NODE.folder,
    a: encryptAttributes(key, { n: name }),
    k: toBase64(encryptKey(tree.keys.master, key)),
  }
  const made = await client.ask(call, 'ensureFolder', { a: 'p', t: folder.h, n: [node], i: requestMark() })
  const [own] = takeNodes(context, 'ensureFolder', made)
  await tree.sync(call)
  return oldestFolder(context, folder.h, name) ?? ((own?.h ?? '') as EntryRef)
}

function oldestFolder({ tree }: MegaContext, parent: string, name: string): EntryRef | null {
  const isIt = (node: MegaNode) => node.t === NODE.folder && openNode(node, tree.keys)?.attributes.n === name
  const [oldest] = tree
    .children(parent)
    .filter(isIt)
    .sort((one, other) => one.ts - other.ts || (one.h < other.h ? -1 : 1))
  return oldest ? (oldest.h as EntryRef) : null
}

/** Driver.move: at most two calls, first to the folder and then to the name. */
export async function move(
  context: MegaContext,
  call: Call,
  ref: EntryRef,
  to: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  const { client, tree } = context
  if (to.name !== undefined) checkName('move', to.name)
  await tree.sync(call)
  const node = requireNode(context, 'move', ref)
  if (to.parent !== undefined) await moveInto(context, call, 'move', node, requireFolder(context, 'move', to.parent))
  if (to.name !== undefined) {
    const { key, attributes } = requireKey(context, 'move', node)
    const attr = encryptAttributes(attributeKey(key), { ...attributes, n: to.name })
    const encryptedKey = toBase64(encryptKey(tree.keys.master, key))
    await client.ask(call, 'move', { a: 'a', n: node.h, attr, key: encryptedKey, i: requestMark() })
    tree.put({ ...requireNode(context, 'move', node.h), a: attr })
  }
  return entryOf(requireNode(context, 'move', node.h), tree.keys)
}

async function moveInto(
  { client, tree }: MegaContext,
  call: Call,
  operation: string,
  node: MegaNode,
  folder: { readonly h: string },
): Promise<void> {
  if (node.p === folder.h) return
  await client.ask(call, operation, { a: 'm', n: node.h, t: folder.h, i: requestMark() })
  tree.put({ ...(tree.find(node.h) ?? node), p: folder.h })
}

/** Driver.trash. */
export async function trash(context: MegaContext, call: Call, ref: EntryRef): Promise<void> {
  const { tree } = context
  await tree.sync(call)
  const known = tree.find(ref)
  if (known && tree.isTrashed(known)) return
  await moveInto(context, call, 'trash', requireNode(context, 'trash', ref), { h: tree.trash })
}

/** Driver.restore. */
export async function restore(context: MegaContext, call: Call, ref: EntryRef, parent: EntryRef): Promise<Entry> {
  const { tree } = context
  await tree.sync(call)
  const folder = requireFolder(context, 'restore', parent)
  const known = tree.find(ref)
  const node = known && tree.isTrashed(known) ? known : requireNode(context, 'restore', ref)
  await moveInto(context, call, 'restore', node, folder)
  return entryOf(requireNode(context, 'restore', node.h), tree.keys)
}

/** Deletes permanently, because the rubbish bin counts against the quota. Resolves when it is already gone. */
export async function remove({ client, tree }: MegaContext, call: Call, operation: string, ref: string): Promise<void> {
  await client.ask(call, operation, { a: 'd', n: ref, i: requestMark() }).catch(nothingWhen('NotFound'))
  if (tree.isLoaded) tree.remove(ref)
}
