import type { Blob } from '../core/blobs.ts'
import type { Exchange } from '../core/service.ts'
import { badName, badRange, badRequest, conflict, exists, forbidden, full, notAllowed, notFound } from './errors.ts'
import type { Nextcloud, NextcloudUser } from './nextcloud.ts'
import { multistatus } from './properties.ts'
import type { Node } from './tree.ts'

const PREFIX = '/remote.php/dav/'

/** A request of a user to the files or the uploads of the user. */
export type DavCall = Nextcloud & { readonly exchange: Exchange; readonly user: NextcloudUser; readonly path: string }

export async function dav(exchange: Exchange, cloud: Nextcloud, user: NextcloudUser): Promise<void> {
  const path = pathOf(exchange.url.pathname)
  if (path === null || !isOwn(path, user)) throw notFound()
  const call: DavCall = { ...cloud, exchange, user, path }
  const run = { PROPFIND: propfind, GET: get, PUT: put, MKCOL: mkcol, DELETE: remove, MOVE: relocate, COPY: relocate }[
    exchange.method
  ]
  if (!run) throw notAllowed()
  await run(call)
}

function pathOf(pathname: string): string | null {
  if (!pathname.startsWith(PREFIX)) return null
  return decodeURIComponent(pathname.slice(PREFIX.length)).replace(/\/+$/, '')
}

function isOwn(path: string, { id }: NextcloudUser): boolean {
  return ['files', 'uploads'].some((root) => path === `${root}/${id}` || path.startsWith(`${root}/${id}/`))
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

function nodeAt({ tree }: DavCall, path: string): Node {
  const node = tree.get(path)
  if (!node) throw notFound()
  return node
}

/** Where something new can be. */
function checkTarget({ tree }: DavCall, path: string): void {
  if (tree.get(folderOf(path))?.kind !== 'folder') throw conflict()
  if (/\\|\.part$|\.filepart$/.test(path)) throw badName()
}

async function propfind(call: DavCall): Promise<void> {
  const { exchange, tree, path } = call
  const body = (await exchange.readBody()).toString()
  const node = nodeAt(call, path)
  const nodes = exchange.request.headers.depth === '1' ? [node, ...tree.children(path)] : [node]
  await exchange.send(207, { 'Content-Type': 'application/xml; charset=utf-8' }, multistatus(call, nodes, body))
}

async function get(call: DavCall): Promise<void> {
  const { exchange, path } = call
  const { content, etag } = nodeAt(call, path)
  if (!content) throw notAllowed()
  const headers = { ETag: `"${etag}"`, 'Content-Type': 'application/octet-stream' }
  const asked = /^bytes=(\d+)-(\d*)$/.exec(exchange.request.headers.range ?? '')
  if (!asked || content.size === 0) return exchange.sendObject(200, headers, content.size, content.read())
  const [start, end] = [
    Number(asked[1]),
    Math.min(asked[2] ? Number(asked[2]) : Number.POSITIVE_INFINITY, content.size - 1),
  ]
  if (start > end) throw badRange()
  const range = { 'Content-Range': `bytes ${start}-${end}/${content.size}` }
  await exchange.sendObject(206, { ...headers, ...range }, end - start + 1, content.read(start, end + 1))
}

/** An upload that is cut leaves nothing: Nextcloud stores it under another name first. */
async function put(call: DavCall): Promise<void> {
  const { exchange, tree, blobs, path } = call
  checkTarget(call, path)
  const announced = Number(exchange.request.headers['content-length'] ?? 0)
  checkRoom(call, Number(exchange.request.headers['oc-total-length'] ?? announced))
  if (exchange.take('vanish')) {
    for await (const _ of exchange.body());
    return exchange.send(201)
  }
  const lost = exchange.take('truncate')?.bytes ?? 0
  const content = blobs.create()
  let left = announced - lost
  for await (const chunk of exchange.body()) {
    const part = chunk.subarray(0, Math.max(0, left))
    left -= part.length
    await content.append(part)
  }
  if (lost === 0 && content.size !== announced) throw badRequest()
  const isNew = tree.get(path) === null
  const { id, etag } = tree.putFile(path, content, timeOf(exchange))
  await exchange.send(isNew ? 201 : 204, { 'OC-FileId': id, 'OC-ETag': `"${etag}"`, ...acceptedTime(exchange) })
}

function checkRoom({ exchange, tree, user }: DavCall, bytes: number): void {
  const used = tree.usage(`files/${user.id}`) + tree.usage(`uploads/${user.id}`)
  if (exchange.take('full') || (user.quotaBytes >= 0 && used + bytes > user.quotaBytes)) throw full()
}

function timeOf({ request }: Exchange): number | undefined {
  const seconds = request.headers['x-oc-mtime']
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const acceptedTime = (exchange: Exchange) => (timeOf(exchange) === undefined ? {} : { 'X-OC-MTime': 'accepted' })

async function mkcol(call: DavCall): Promise<void> {
  const { exchange, tree, path } = call
  if (tree.get(path)) throw notAllowed()
  checkTarget(call, path)
  tree.makeFolder(path)
  await exchange.send(201)
}

async function remove(call: DavCall): Promise<void> {
  const { exchange, tree, path } = call
  nodeAt(call, path)
  await tree.remove(path)
  await exchange.send(204)
}

async function relocate(call: DavCall): Promise<void> {
  const { exchange, tree, path } = call
  const target = targetOf(call)
  const isAssembly = exchange.method === 'MOVE' && /^uploads\/.*\/\.file$/.test(path)
  if (isAssembly) return assemble(call, target)
  nodeAt(call, path)
  if (target === path) throw forbidden()
  await makeWay(call, target)
  if (exchange.method === 'MOVE') tree.move(path, target)
  else await tree.copy(path, target)
  await exchange.send(201)
}

/** Servers behind the emulators are named by `/@HOST` in addresses too. */
function targetOf(call: DavCall): string {
  const destination = String(call.exchange.request.headers.destination ?? '')
  const { pathname } = new URL(destination, call.exchange.url)
  const path = pathOf(pathname.replace(/^\/@[^/]+/, ''))
  if (path === null || !isOwn(path, call.user)) throw badRequest()
  return path
}

async function makeWay(call: DavCall, target: string): Promise<void> {
  const { exchange, tree } = call
  checkTarget(call, target)
  if (!tree.get(target)) return
  if (exchange.request.headers.overwrite === 'F') throw exists()
  await tree.remove(target)
}

/** The file of all chunks, in the order of their names. */
async function assemble(call: DavCall, target: string): Promise<void> {
  const { exchange, tree, blobs, path } = call
  const folder = folderOf(path)
  nodeAt(call, folder)
  await makeWay(call, target)
  const content: Blob = blobs.create()
  for (const chunk of tree.children(folder)) {
    for await (const bytes of (chunk.content?.read() ?? []) as AsyncIterable<Buffer>) await content.append(bytes)
  }
  const expected = exchange.request.headers['oc-total-length']
  if (expected !== undefined && Number(expected) !== content.size) throw badRequest()
  const { id } = tree.putFile(target, content, timeOf(exchange))
  await tree.remove(folder)
  await exchange.send(201, { 'OC-FileId': id, ...acceptedTime(exchange) })
}
