import { randomBytes } from 'node:crypto'
import { invalid } from '../errors.ts'
import { type DriveFile, FOLDER } from '../model.ts'
import { type Call, driveOf, isVisible, numberOf } from './call.ts'
import { maskOf, parseFields, project } from './fields.ts'
import { parseQuery } from './query.ts'
import { FILE_LIST } from './shapes.ts'
import { viewFile } from './view.ts'

/** What a listing has found, and where it continues. */
type Rest = { readonly q: string; readonly files: readonly DriveFile[]; readonly from: number }
/** By the page token that was given for it. */
export type Pages = Map<string, Rest>

const DEFAULT_FIELDS = 'kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)'
const STALE_MS = 30_000
const REMEMBERED = 1000

export async function listFiles(call: Call): Promise<void> {
  const { query, google } = call
  const q = query.get('q') ?? ''
  const mask = parseFields(query.get('fields') || DEFAULT_FIELDS, FILE_LIST)
  const size = numberOf(query, 'pageSize', 100, 1000)
  const { files, from } = rest(call, q)
  const to = from + size
  const page = files.slice(from, to).filter((file) => google.store.file(file.id) === file || !query.has('pageToken'))
  const token = files.length > to ? remember(google.pages, { q, files, from: to }) : undefined
  const entries = maskOf(mask, 'files')
  const value = {
    kind: 'drive#fileList',
    ...(token && { nextPageToken: token }),
    incompleteSearch: call.exchange.take('incomplete') !== null,
    files: await Promise.all(page.map((file) => viewFile(call, file, entries))),
  }
  await call.exchange.sendJson(200, project(value, mask))
}

function rest(call: Call, q: string): Rest {
  const token = call.query.get('pageToken')
  if (!token) return { q, files: found(call, q), from: 0 }
  const known = call.google.pages.get(token)
  if (!known || known.q !== q) throw invalid('pageToken')
  return known
}

function found(call: Call, q: string): readonly DriveFile[] {
  const { store } = call.google
  const matches = parseQuery(q, { store, user: call.user })
  const stale = call.exchange.take('staleList')
  const since = stale ? store.clock() - (stale.ms ?? STALE_MS) : Number.POSITIVE_INFINITY
  const current = corpus(call).filter((file) => file.createdTime < since)
  const known = stale ? [...current, ...store.removedSince(call.user, since)] : current
  const isListed = ({ id }: DriveFile) => call.google.listsRoot || (id !== call.user.rootId && !store.drives.has(id))
  const visible = known.filter((file) => isListed(file) && isVisible(call, file) && matches(file))
  return ordered(visible, call.query.get('orderBy') ?? '')
}

/** What a list searches: one shared drive, or the user's files, with all shared drives where they are asked for. */
function corpus(call: Call): DriveFile[] {
  const { query, google, user } = call
  const corpora = query.get('corpora')
  const withDrives = query.get('includeItemsFromAllDrives') === 'true' || query.get('includeTeamDriveItems') === 'true'
  const drive = driveOf(call)
  if ((drive !== null) !== (corpora === 'drive')) throw invalid('corpora')
  if (drive && !withDrives) throw invalid('includeItemsFromAllDrives')
  if (drive) return google.store.filesOf(drive.owner)
  const drives = withDrives ? [...google.store.drives.values()].filter(({ members }) => members.has(user.email)) : []
  return [
    ...google.store.filesOf(user),
    ...sharedWith(call),
    ...drives.flatMap(({ owner }) => google.store.filesOf(owner)),
  ]
}

/** With what is in shared folders. */
function sharedWith({ google, user }: Call): DriveFile[] {
  return [...google.store.users.values()]
    .filter((other) => other !== user)
    .flatMap((other) => google.store.filesOf(other))
    .filter((file) => google.store.roleOf(user, file) !== null)
}

const byName = (a: DriveFile, b: DriveFile): number => a.name.localeCompare(b.name)
const ORDERS: Readonly<Record<string, (a: DriveFile, b: DriveFile) => number>> = {
  createdTime: (a, b) => a.createdTime - b.createdTime,
  folder: (a, b) => Number(b.mimeType === FOLDER) - Number(a.mimeType === FOLDER),
  modifiedByMeTime: (a, b) => a.modifiedTime - b.modifiedTime,
  modifiedTime: (a, b) => a.modifiedTime - b.modifiedTime,
  name: byName,
  name_natural: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
  quotaBytesUsed: (a, b) => (a.content?.size ?? 0) - (b.content?.size ?? 0),
  recency: (a, b) => a.modifiedTime - b.modifiedTime,
  starred: (a, b) => Number(a.starred) - Number(b.starred),
}

/** Newest first when nothing is said, as a client may not rely on any order. */
function ordered(files: DriveFile[], text: string): DriveFile[] {
  const keys = text
    .split(',')
    .filter(Boolean)
    .map((key) => {
      const [name = '', direction = 'asc'] = key.trim().split(/\s+/)
      const compare = ORDERS[name]
      if (!compare || !['asc', 'desc'].includes(direction)) throw invalid('orderBy')
      return direction === 'desc' ? (a: DriveFile, b: DriveFile) => compare(b, a) : compare
    })
  return files.sort((a, b) => {
    for (const compare of keys) {
      const order = compare(a, b)
      if (order !== 0) return order
    }
    return b.seq - a.seq
  })
}

function remember(pages: Pages, place: Rest): string {
  const token = `~!!~${randomBytes(30).toString('base64url')}`
  pages.set(token, place)
  const oldest = pages.size > REMEMBERED ? pages.keys().next().value : undefined
  if (oldest) pages.delete(oldest)
  return token
}
