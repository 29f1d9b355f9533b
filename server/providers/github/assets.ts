import { createHash, randomBytes } from 'node:crypto'
import type { ByteRange, Call, Download, Entry, EntryRef, Page } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { emptyDownload, rangedDownload, wholeDownload } from '../shared/download.ts'
import type { HttpResponse } from '../shared/http.ts'
import { failed, GithubError, KIND } from './errors.ts'
import { inRepository, type Release, releasesOf, type Storage } from './repository.ts'

/** An asset as GitHub reports it, as far as it is used. */
export type Asset = {
  readonly id: number
  readonly name: string
  /** What GitHub shows instead of the name. */
  readonly label?: string | null
  /** `starter`: its upload failed, or is in progress. */
  readonly state: string
  readonly size: number
  /** `sha256:` and the hash. */
  readonly digest?: string | null
  readonly updated_at?: string
}

export const ROOT = 'releases' as EntryRef

// GitHub replaces characters in names of assets, and they are unique in a release: the file's name is the label.
const EMPTY = '.empty'
const NAME = /^skypool-[0-9a-f]{32}(\.empty)?$/
/** GitHub takes no empty assets: an empty file is one byte, under a name that says so. */
export const EMPTY_MARK = Buffer.from('0')

export const newAssetName = (size: number): string =>
  `skypool-${randomBytes(16).toString('hex')}${size === 0 ? EMPTY : ''}`

const EMPTY_HASH = createHash('sha256').digest('hex')
const isEmpty = ({ name }: Pick<Asset, 'name'>): boolean => name.endsWith(EMPTY)

/** Ids of assets are unique. The ref says whether the file is empty. */
export const refOf = (asset: Asset): EntryRef => `${asset.id}${isEmpty(asset) ? 'e' : ''}` as EntryRef

/** The path of an asset below its repository's. @throws NotFound for what is no ref of this driver */
function pathIn(ref: EntryRef, operation: string): string {
  const [, id] = /^(\d{1,16})e?$/.exec(ref) ?? []
  if (id !== undefined) return `/releases/assets/${id}`
  throw failed(operation, 'NotFound', 'This is no asset of a release.')
}

/** Of what GitHub has stored, whatever it stands for. */
export const storedHash = ({ digest }: Asset): string | null =>
  /^sha256:([0-9a-f]{64})$/.exec(digest ?? '')?.[1] ?? null
export const isComplete = ({ state }: Asset): boolean => state === 'uploaded'

export function entryOf(asset: Asset): Entry {
  return {
    ref: refOf(asset),
    name: asset.label || asset.name,
    kind: 'file',
    size: isEmpty(asset) ? 0 : asset.size,
    modifiedAt: asset.updated_at ? new Date(asset.updated_at) : null,
    hash: isEmpty(asset) ? EMPTY_HASH : storedHash(asset),
  }
}

/** Driver.stat. @throws NotFound */
export async function stat(storage: Storage, call: Call, ref: EntryRef, operation = 'stat'): Promise<Entry> {
  const suffix = pathIn(ref, operation)
  const asset = await inRepository(storage, call, operation, (path) =>
    storage.client.ask<Asset>(call, operation, { method: 'GET', url: path + suffix }),
  )
  if (isComplete(asset)) return entryOf(asset)
  throw failed(operation, 'NotFound', 'The upload of this asset has failed.')
}

/** One page of a release, failed uploads included. */
export function assetsPage(
  storage: Storage,
  call: Call,
  operation: string,
  { id }: Pick<Release, 'id'>,
  page: number,
): Promise<{ readonly assets: readonly Asset[]; readonly isLast: boolean }> {
  const { client, limits } = storage
  return inRepository(storage, call, operation, async (path) => {
    const query = { per_page: String(limits.pageSize), page: String(page) }
    const request = { method: 'GET', url: `${path}/releases/${id}/assets`, query }
    const assets = await client.ask<readonly Asset[]>(call, operation, request)
    return { assets, isLast: assets.length < limits.pageSize }
  })
}

/** Driver.list: all files, release by release. A cursor is the number of a release, and a page of it. */
export async function list(
  storage: Storage,
  call: Call,
  folder: EntryRef,
  cursor: string | null,
): Promise<Page<Entry>> {
  if (folder !== ROOT) throw failed('list', 'NotFound', 'GitHub keeps no folders.')
  const [, from = '0', next = '1'] = /^(\d+):(\d+)$/.exec(cursor ?? '') ?? []
  const releases = (await releasesOf(storage, call, 'list')).filter(({ number }) => number >= Number(from))
  const [release, following] = releases
  if (!release) return { items: [], cursor: null }
  const page = release.number === Number(from) ? Number(next) : 1
  const { assets, isLast } = await assetsPage(storage, call, 'list', release, page)
  const items = assets.filter((asset) => isComplete(asset) && NAME.test(asset.name)).map(entryOf)
  if (!isLast) return { items, cursor: `${release.number}:${page + 1}` }
  return { items, cursor: following ? `${following.number}:1` : null }
}

/** Driver.get. GitHub redirects to an address on another host, which is the credential and valid for minutes. */
export async function download(
  storage: Storage,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  if (ref.endsWith('e')) {
    await stat(storage, call, ref, WHERE.operation)
    return emptyDownload()
  }
  const suffix = pathIn(ref, WHERE.operation)
  // Of the whole file too: the response to a range has the file's size, so that a shorter one is noticed.
  const ranged = { range: range ? `bytes=${range.start}-${range.end}` : 'bytes=0-' }
  const asked = await inRepository(storage, call, WHERE.operation, async (path) => {
    const headers = { ...ranged, accept: 'application/octet-stream' }
    const request = { method: 'GET', url: path + suffix, headers, keepRedirects: true }
    const response = await storage.client.send(call, WHERE.operation, request)
    if (!isMoved(response)) return response
    response.dispose()
    throw new ProviderError(
      'Transient',
      { ...WHERE, status: response.status },
      { message: 'The repository was renamed.' },
    )
  })
  // Small ones may be sent at once.
  if (asked.status === 206) return rangedDownload(asked, range, WHERE)
  if (asked.status === 200 && range === null) return wholeDownload(asked, WHERE)
  asked.dispose()
  const request = { method: 'GET', url: addressOf(asked), headers: ranged, authorized: false }
  try {
    return rangedDownload(await storage.client.send(call, WHERE.operation, request), range, WHERE)
  } catch (error) {
    // The address was refused, not the account: another one is valid.
    if (!(error instanceof GithubError) || error.code === 'RateLimited') throw error
    throw new ProviderError('Transient', error.where, error.detail)
  }
}
const WHERE = { provider: KIND, operation: 'get' }

/** Other redirects than the one to the content lead to the same call, under the repository's new name. */
const isMoved = ({ status, header }: HttpResponse): boolean =>
  status >= 300 && status < 400 && /^https:\/\/api\.github\.com\//.test(header('location') ?? '')

function addressOf(response: HttpResponse): string {
  const location = response.header('location')
  if (location !== null && URL.canParse(location)) return location
  throw new ProviderError(
    'Transient',
    { ...WHERE, status: response.status },
    { message: 'GitHub names no address of the content.' },
  )
}

/** Driver.move: gives a file another name. @throws NotFound, BadName */
export async function rename(
  storage: Storage,
  call: Call,
  ref: EntryRef,
  { parent = ROOT, name }: { readonly parent?: EntryRef; readonly name?: string },
): Promise<Entry> {
  const operation = 'move'
  if (parent !== ROOT) throw failed(operation, 'NotFound', 'GitHub keeps no folders.')
  if (name === undefined) return stat(storage, call, ref, operation)
  checkName(name, operation)
  const suffix = pathIn(ref, operation)
  const asset = await inRepository(storage, call, operation, (path) =>
    storage.client.ask<Asset>(call, operation, { method: 'PATCH', url: path + suffix, json: { label: name } }),
  )
  return entryOf(asset)
}

/** GitHub documents no limit of labels. */
export const MAX_NAME = 200

/** @throws BadName */
export function checkName(name: string, operation: string): void {
  if (name !== '' && name.length <= MAX_NAME && !/\p{Surrogate}/u.test(name)) return
  throw failed(operation, 'BadName', `Names have 1 to ${MAX_NAME} characters.`)
}

/** Driver.delete. */
export async function remove(storage: Storage, call: Call, ref: EntryRef, operation = 'delete'): Promise<void> {
  const response = await inRepository(storage, call, operation, (path) =>
    storage.client.send(call, operation, { method: 'DELETE', url: path + pathIn(ref, operation) }),
  ).catch(nothingWhen('NotFound'))
  response?.dispose()
  // A page of a proxy is no answer of GitHub.
  if (response && response.status !== 204) throw failed(operation, 'Transient', `GitHub answered ${response.status}.`)
}
