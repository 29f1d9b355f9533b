import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Exchange } from '../core/service.ts'
import { thumbnailOf } from '../core/thumbnail.ts'
import {
  type Content,
  contentOf,
  type Item,
  newId,
  newToken,
  REFUSALS,
  Refusal,
  type State,
  type User,
} from './state.ts'
import {
  addItem,
  changeItem,
  checkName,
  checkRoom,
  childrenOf,
  dateOf,
  fileAt,
  folderAt,
  keyOf,
  namedIn,
  placeFile,
  ROOT_ID,
  trashItem,
  usedBytes,
  view,
} from './tree.ts'

export type Call = {
  readonly state: State
  readonly exchange: Exchange
  readonly user: User
  /** Of the address, and of a form. */
  readonly parameters: URLSearchParams
}

/** The response, without its `result`. */
export type Method = (call: Call) => object | Promise<object>

/** A number in a parameter. @throws Refusal when it is missing or none */
function numberIn({ parameters }: Call, name: string): number {
  const value = parameters.get(name)
  if (value === null || !/^\d+$/.test(value)) throw new Refusal(1017, `Invalid '${name}' provided.`)
  return Number(value)
}
const has = ({ parameters }: Call, name: string): boolean => Boolean(Number(parameters.get(name) ?? 0))
const folderIn = (call: Call, name = 'folderid'): Item => folderAt(call.user, numberIn(call, name))
const fileIn = (call: Call): Item => fileAt(call.user, numberIn(call, 'fileid'))

const timeIn = ({ parameters }: Call): number | undefined => {
  const at = parameters.get('mtime')
  return at === null ? undefined : Number(at) * 1000
}

function listed(call: Call, folder: Item): Record<string, unknown> {
  const items = childrenOf(call.user, folder).filter(({ isFolder }) => isFolder || !has(call, 'nofiles'))
  const isDeep = has(call, 'recursive')
  return { ...view(folder), contents: items.map((item) => (item.isFolder && isDeep ? listed(call, item) : view(item))) }
}

/** For apps, the root cannot be listed with everything below it. */
function listFolder(call: Call): object {
  const folder = folderIn(call)
  if (folder.id === ROOT_ID && has(call, 'recursive')) throw new Refusal(1101, 'Recursive listing is not allowed.')
  return { metadata: listed(call, folder) }
}

function createFolder(call: Call, mayExist: boolean): object {
  const { state, user, parameters } = call
  const folder = folderIn(call)
  const name = parameters.get('name') ?? undefined
  checkName(name)
  const taken = namedIn(user, folder, name)
  if (taken && (!mayExist || !taken.isFolder)) throw REFUSALS.exists()
  const made = taken ?? addItem(state, user, { folder, isFolder: true, name })
  return { created: !taken, metadata: view(made) }
}

/** What has the name at the target is replaced by a file. */
function rename(call: Call, item: Item): object {
  const { state, user, parameters } = call
  const folder = parameters.has('tofolderid') ? folderIn(call, 'tofolderid') : folderAt(user, item.parent ?? ROOT_ID)
  const name = parameters.get('toname') ?? item.name
  checkName(name)
  if (item.isFolder && isInside(user, folder, item))
    throw new Refusal(2043, 'Cannot move a folder to a subfolder of itself.')
  const taken = namedIn(user, folder, name)
  const isReplaced = taken !== undefined && taken !== item
  if (isReplaced && (item.isFolder || taken.isFolder)) throw REFUSALS.exists()
  if (isReplaced) trashItem(state, user, taken)
  changeItem(state, user, item, { parent: folder.id, name })
  return { metadata: { ...view(item), ...(isReplaced && { deletedfileid: taken.id }) } }
}

function isInside(user: User, folder: Item, above: Item): boolean {
  for (let at: Item | undefined = folder; at; at = at.parent === null ? undefined : user.items.get(`d${at.parent}`)) {
    if (at === above) return true
  }
  return false
}

function copyFile(call: Call): object {
  const { state, user, parameters, exchange } = call
  const { content, name: own } = fileIn(call)
  const folder = folderIn(call, 'tofolderid')
  const name = parameters.get('toname') ?? own
  checkName(name)
  const taken = namedIn(user, folder, name)
  if (taken && (has(call, 'noover') || taken.isFolder)) throw REFUSALS.exists()
  if (exchange.take('full')) throw REFUSALS.full()
  const placing = { folder, name, content: content ?? contentOf(Buffer.alloc(0)), modifiedAt: timeIn(call) }
  return { metadata: view(placeFile(state, user, { ...placing, renameIfExists: false, ifHash: null })) }
}

function deleteFolder(call: Call, isRecursive: boolean): object {
  const folder = folderIn(call)
  if (folder.id === ROOT_ID) throw new Refusal(2007, 'Can not delete root folder.')
  if (!isRecursive && childrenOf(call.user, folder).length > 0) throw new Refusal(2006, 'Folder is not empty.')
  trashItem(call.state, call.user, folder)
  return isRecursive ? { deletedfiles: 0, deletedfolders: 1 } : { metadata: view(folder) }
}

/** MD5 is known in the first region alone, SHA-256 in the second. */
function checksums({ user }: Call, { content }: Item): object {
  const other = user.location === 1 ? 'md5' : 'sha256'
  const digest = createHash(other)
    .update(content?.bytes ?? '')
    .digest('hex')
  return { sha1: content?.sha1, [other]: digest }
}

const MAX_WHOLE_BYTES = 128 * 1024 * 1024

/** A file in one request: as the body of a PUT, or in a form with the parameters. A PUT without a body is a mistake. */
async function uploadFile(asked: Call): Promise<object> {
  const { exchange, user } = asked
  if (exchange.request.headers['transfer-encoding'] !== undefined) throw new Refusal(2041, 'Connection broken.')
  const body = await exchange.readBody(MAX_WHOLE_BYTES)
  const form = exchange.method === 'POST' ? formOf(body) : null
  if (!form && body.length === 0) throw new Refusal(2041, 'Connection broken.')
  const call = { ...asked, parameters: new URLSearchParams([...asked.parameters, ...(form?.fields ?? [])]) }
  const { name, bytes } = form ?? { name: call.parameters.get('filename') ?? undefined, bytes: body }
  const folder = folderIn(call)
  checkName(name)
  if (exchange.take('full')) throw REFUSALS.full()
  checkRoom(user, bytes.length)
  const stored = place(call, folder, name, contentOf(bytes))
  return { fileids: [stored.id], metadata: [view(stored)], checksums: [checksums(call, stored)] }
}

type Form = { name: string | undefined; bytes: Buffer; readonly fields: [string, string][] }

function formOf(body: Buffer): Form {
  const mark = body.subarray(0, body.indexOf('\r\n'))
  const form: Form = { name: undefined, bytes: Buffer.alloc(0), fields: [] }
  for (let at = 0; ; ) {
    const head = body.indexOf('\r\n\r\n', at)
    const next = body.indexOf(mark, at + mark.length)
    if (head < 0 || next < 0) return form
    const text = body.toString('utf8', at, head)
    const value = body.subarray(head + 4, next - 2)
    const [, file] = / filename="((?:[^"\\]|\\.)*)"/.exec(text) ?? []
    const [, field = ''] = / name="([^"]*)"/.exec(text) ?? []
    if (file === undefined) form.fields.push([field, value.toString()])
    else Object.assign(form, { name: file.replace(/\\(.)/g, '$1'), bytes: value })
    at = next
  }
}

/** Stores with what is planned to go wrong. */
function place(call: Call, folder: Item, name: string, content: Content): Item {
  const { state, user, exchange, parameters } = call
  const short = exchange.take('truncate')
  const kept = short
    ? contentOf(content.bytes.subarray(0, Math.max(0, content.bytes.length - (short.bytes ?? 1))))
    : content
  const renameIfExists = has(call, 'renameifexists')
  const ifHash = parameters.get('ifhash')
  const stored = placeFile(state, user, {
    folder,
    name,
    content: kept,
    modifiedAt: timeIn(call),
    renameIfExists,
    ifHash,
  })
  if (exchange.take('vanish')) user.items.delete(keyOf(stored))
  return stored
}

function createUpload({ state, user, exchange, parameters }: Call): object {
  if (exchange.take('full')) throw REFUSALS.full()
  checkRoom(user, Number(parameters.get('filesize') ?? 0))
  const id = newId(state)
  state.uploads.set(id, { id, user, bytes: Buffer.alloc(0) })
  return { uploadid: id }
}

function uploadIn(call: Call) {
  const upload = call.state.uploads.get(numberIn(call, 'uploadid'))
  if (upload?.user !== call.user) throw REFUSALS.noUpload()
  return upload
}

/** What arrived before the connection broke is kept. */
async function writeUpload(call: Call): Promise<object> {
  const upload = uploadIn(call)
  const offset = numberIn(call, 'uploadoffset')
  if (offset > upload.bytes.length) throw new Refusal(2068, 'The offset is behind the end.')
  const chunks: Buffer[] = []
  try {
    for await (const chunk of call.exchange.body()) chunks.push(chunk)
  } finally {
    upload.bytes = Buffer.concat([upload.bytes.subarray(0, offset), ...chunks])
  }
  return {}
}

/** A name that was lost with its upload is never given twice. */
function saveUpload(call: Call): object {
  const { state, user, exchange, parameters } = call
  const upload = uploadIn(call)
  const folder = folderIn(call)
  const name = parameters.get('name') ?? undefined
  checkName(name)
  if (exchange.take('full')) throw REFUSALS.full()
  checkRoom(user, upload.bytes.length)
  state.uploads.delete(upload.id)
  return { metadata: view(place(call, folder, name, contentOf(upload.bytes))) }
}

const LINK_LIFE_MS = 6 * 3600 * 1000
export const CONTENT_HOSTS = ['p-lux1.pcloud.com', 'p-def2.pcloud.com']

function fileLink(call: Call): object {
  const { state, user } = call
  const { content, rights } = fileIn(call)
  if (rights.canread === false) throw REFUSALS.denied()
  const key = newToken()
  const expiresAt = state.now() + LINK_LIFE_MS
  state.downloads.set(key, { content: content ?? contentOf(Buffer.alloc(0)), user, expiresAt })
  return { path: `/${key}/content.bin`, expires: dateOf(expiresAt), hosts: CONTENT_HOSTS }
}

/** Made when the address is asked for. By the extension, as metadata says it (`thumb`). */
async function thumbLink(call: Call): Promise<object> {
  const { state, user, parameters } = call
  const { content, name } = fileIn(call)
  const [, width = '', height = ''] = /^(\d+)x(\d+)$/.exec(parameters.get('size') ?? '') ?? []
  const isSide = (side: number, most: number): boolean =>
    side >= 16 && side <= most && (side % 4 === 0 || side % 5 === 0)
  if (!isSide(Number(width), 2048) || !isSide(Number(height), 1024)) {
    throw new Refusal(1015, 'Please provide valid thumb size.')
  }
  if (!/\.(?:jpe?g|png|gif|webp|tiff?|bmp)$/i.test(name)) {
    throw new Refusal(1014, 'Thumb can not be created from this file type.')
  }
  const side = Math.min(Number(width), Number(height))
  const picture = content && (await thumbnailOf('image/*', Readable.from([content.bytes]), side))
  if (!picture) throw new Refusal(3001, 'Could not create thumb from the given file.')
  const key = newToken()
  const expiresAt = state.now() + LINK_LIFE_MS
  state.downloads.set(key, { content: contentOf(picture), user, expiresAt, type: 'image/jpeg' })
  return { path: `/${key}/thumb.jpg`, expires: dateOf(expiresAt), hosts: CONTENT_HOSTS, size: `${side}x${side}` }
}

/** The content itself, by a link alone. */
export async function sendContent(state: State, exchange: Exchange): Promise<void> {
  const known = state.downloads.get(exchange.url.pathname.split('/')[1] ?? '')
  await exchange.begin('download', known?.user.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  const limited = exchange.take('rateLimit')
  if (limited) return exchange.send(429, { 'retry-after': limited.retryAfter })
  if (!known || known.expiresAt <= state.now()) return exchange.send(410)
  const { bytes } = known.content
  const header = exchange.take('ignoreRange') ? undefined : exchange.request.headers.range
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  const start = Number(first ?? 0)
  const end = Math.min(last ? Number(last) : bytes.length - 1, bytes.length - 1)
  if (first !== undefined && start > end) return exchange.send(416, { 'content-range': `bytes */${bytes.length}` })
  const part = bytes.subarray(start, end + 1)
  const range = first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }
  const headers = { 'content-type': known.type ?? 'application/octet-stream', ...range }
  const source = Readable.from(part.length > 0 ? [part] : [], { objectMode: false })
  await exchange.sendObject(first === undefined ? 200 : 206, headers, part.length, source)
}

/** `last=0`: only the newest id. */
function diff(call: Call): object {
  const { state, user, parameters } = call
  const { firstEvent } = state.settings
  const newest = firstEvent + user.events.length
  if (parameters.get('last') === '0') return { diffid: newest, entries: [] }
  const from = numberIn(call, 'diffid')
  const limit = Number(parameters.get('limit') ?? 100_000)
  if (from > newest) throw new Refusal(1020, "Invalid 'diffid' provided.")
  const oldest = user.events[0]?.id ?? firstEvent
  // What is older is not in the log any more.
  if (from < oldest - 1) return { diffid: newest, entries: [{ event: 'reset', time: '', diffid: from }] }
  const entries = user.events.filter(({ id }) => id > from).slice(0, limit)
  const shown = entries.map(({ event, id, time, metadata }) => ({
    event,
    diffid: id,
    time: dateOf(time),
    metadata,
  }))
  return { diffid: entries.at(-1)?.id ?? from, entries: shown }
}

function publish(call: Call, item: Item): object {
  const { state, user, exchange, parameters } = call
  if (exchange.take('policy')) throw new Refusal(7014, 'Links are not allowed.')
  const expires = parameters.get('expire')
  if (expires !== null && !user.canExpireLinks) throw new Refusal(7001, 'This needs a paid plan.')
  const linkid = newId(state)
  const link = { linkid, code: newToken(), item, expires: expires === null ? null : Number(expires) * 1000 }
  user.links.set(linkid, link)
  return { linkid, code: link.code, link: addressOf(link.code) }
}
const addressOf = (code: string): string => `https://u.pcloud.link/publink/show?code=${code}`

function changeLink(call: Call): object {
  const link = call.user.links.get(numberIn(call, 'linkid'))
  if (!link) throw new Refusal(2030, 'Link not found.')
  const expires = call.parameters.get('expire')
  if (expires !== null && !call.user.canExpireLinks) throw new Refusal(7001, 'This needs a paid plan.')
  if (expires !== null) link.expires = Number(expires) * 1000
  if (has(call, 'deleteexpire')) link.expires = null
  return {}
}

export const METHODS: Readonly<Record<string, Method>> = {
  userinfo: ({ user }) => ({
    email: user.email,
    userid: user.id,
    emailverified: true,
    quota: user.quotaBytes,
    usedquota: usedBytes(user),
    premium: false,
    plan: 0,
    language: 'en',
  }),
  logout({ state, exchange }) {
    const [, token = ''] = /^Bearer (\S+)$/.exec(exchange.request.headers.authorization ?? '') ?? []
    return { auth_deleted: state.tokens.delete(token) }
  },
  listfolder: listFolder,
  createfolder: (call) => createFolder(call, false),
  createfolderifnotexists: (call) => createFolder(call, true),
  renamefolder: (call) => rename(call, folderIn(call)),
  renamefile: (call) => rename(call, fileIn(call)),
  deletefolder: (call) => deleteFolder(call, false),
  deletefolderrecursive: (call) => deleteFolder(call, true),
  stat: (call) => ({ metadata: view(fileIn(call)) }),
  checksumfile(call) {
    const file = fileIn(call)
    return { ...checksums(call, file), metadata: view(file) }
  },
  copyfile: copyFile,
  deletefile(call) {
    const file = fileIn(call)
    trashItem(call.state, call.user, file)
    return { metadata: { ...view(file), isdeleted: true } }
  },
  uploadfile: uploadFile,
  upload_create: createUpload,
  upload_write: writeUpload,
  upload_info: (call) => ({ size: uploadIn(call).bytes.length }),
  upload_save: saveUpload,
  upload_delete(call) {
    call.state.uploads.delete(uploadIn(call).id)
    return {}
  },
  getfilelink: fileLink,
  getthumblink: thumbLink,
  diff,
  getfilepublink: (call) => publish(call, fileIn(call)),
  getfolderpublink: (call) => publish(call, folderIn(call)),
  changepublink: changeLink,
  deletepublink(call) {
    if (!call.user.links.delete(numberIn(call, 'linkid'))) throw new Refusal(2030, 'Link not found.')
    return {}
  },
  listpublinks: ({ user }) => ({
    publinks: [...user.links.values()].map(({ linkid, code, item, expires }) => ({
      linkid,
      code,
      link: addressOf(code),
      isfolder: item.isFolder,
      metadata: view(item),
      ...(expires !== null && { expires: dateOf(expires) }),
    })),
  }),
}
