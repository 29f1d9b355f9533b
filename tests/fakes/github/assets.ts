import { Readable } from 'node:stream'
import type { Exchange } from '../core/service.ts'
import { forbidden, GithubRefusal, invalid, notFound } from './errors.ts'
import { type Call, created, jsonOf, pageOf } from './repositories.ts'
import { type Asset, digestOf, newId, newToken, type Release, type Repository, type State } from './state.ts'

export const DOWNLOAD_HOST = 'release-assets.githubusercontent.com'
const MAX_BYTES = 2 ** 31
const DOWNLOAD_LIFE_MS = 5 * 60_000

/** As GitHub rewrites names of assets. */
const rewritten = (name: string): string => name.replace(/[^\w.@+-]+/g, '.').replace(/^\.+|\.+$/g, '') || 'default'

function view({ owner, name }: Repository, release: Release, asset: Asset) {
  const { id, label, type, state, bytes, createdAt } = asset
  const full = `${owner.login}/${name}`
  return {
    id,
    name: asset.name,
    label,
    state,
    content_type: type,
    size: bytes.length,
    digest: state === 'uploaded' ? digestOf(bytes) : null,
    download_count: 0,
    url: `https://api.github.com/repos/${full}/releases/assets/${id}`,
    browser_download_url: `https://github.com/${full}/releases/download/${release.tag}/${asset.name}`,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(createdAt).toISOString(),
  }
}

export async function listAssets({ exchange }: Call, repository: Repository, id: string): Promise<void> {
  const release = releaseAt(repository, id)
  const { items, headers } = pageOf(exchange, [...release.assets.values()])
  await exchange.sendJson(
    200,
    items.map((asset) => view(repository, release, asset)),
    headers,
  )
}

function releaseAt({ releases }: Repository, id: string): Release {
  const release = releases.get(Number(id))
  if (!release) throw notFound()
  return release
}

/**
 * A content by one request with a known length. What is wrong with the name, or the release, is said before its content is read; an
 * upload that is cut leaves an asset without content.
 */
export async function uploadAsset(call: Call, repository: Repository, id: string): Promise<void> {
  const { exchange, state } = call
  const { request, url } = exchange
  const release = releaseAt(repository, id)
  if (repository.isArchived) throw forbidden('Repository was archived so is read-only.')
  const length = Number(request.headers['content-length'])
  if (!(length > 0)) throw new GithubRefusal(400, 'Bad Content-Length: ')
  const type = request.headers['content-type']
  if (type === undefined) throw invalid('ReleaseAsset', { code: 'missing_field', field: 'content_type' })
  if (length > MAX_BYTES) throw invalidAsset('size', `size must be less than or equal to ${MAX_BYTES}`)
  const name = rewritten(url.searchParams.get('name') ?? '')
  if ([...release.assets.values()].some((asset) => asset.name === name)) {
    throw invalid('ReleaseAsset', { code: 'already_exists', field: 'name' })
  }
  if (release.assets.size >= state.settings.assetsPerRelease) {
    throw invalidAsset('file_count', `file_count limited to ${state.settings.assetsPerRelease} assets per release`)
  }
  created(call)
  const label = url.searchParams.get('label') || null
  const asset: Asset = {
    id: newId(state),
    name,
    label,
    type,
    state: 'starter',
    bytes: Buffer.alloc(0),
    createdAt: state.now(),
  }
  release.assets.set(asset.id, asset)
  const chunks: Buffer[] = []
  for await (const chunk of exchange.body()) chunks.push(chunk)
  const lost = exchange.take('truncate')
  const bytes = Buffer.concat(chunks)
  asset.bytes = lost ? bytes.subarray(0, Math.max(0, bytes.length - (lost.bytes ?? 1))) : bytes
  asset.state = 'uploaded'
  if (exchange.take('vanish')) release.assets.delete(asset.id)
  await exchange.sendJson(201, view(repository, release, asset))
}

const invalidAsset = (field: string, message: string): GithubRefusal =>
  invalid('ReleaseAsset', { code: 'custom', field, message })

function assetAt({ releases }: Repository, id: string): { readonly release: Release; readonly asset: Asset } {
  for (const release of releases.values()) {
    const asset = release.assets.get(Number(id))
    if (asset) return { release, asset }
  }
  throw notFound()
}

/** What GitHub knows of an asset, or, where the content is accepted, the way to it. */
export async function showAsset(call: Call, repository: Repository, id: string): Promise<void> {
  const { exchange, state, user } = call
  const { release, asset } = assetAt(repository, id)
  if (!exchange.request.headers.accept?.includes('application/octet-stream')) {
    return exchange.sendJson(200, view(repository, release, asset))
  }
  if (asset.state !== 'uploaded') throw notFound()
  if (state.settings.isDirect) return sendRange(exchange, asset)
  const key = newToken('')
  state.downloads.set(key, { asset, user, expiresAt: state.now() + DOWNLOAD_LIFE_MS })
  await exchange.send(302, { location: `https://${DOWNLOAD_HOST}/github-production-release-asset/${key}?sp=r` })
}

export async function updateAsset(call: Call, repository: Repository, id: string): Promise<void> {
  const { release, asset } = assetAt(repository, id)
  if (repository.isArchived) throw forbidden('Repository was archived so is read-only.')
  const { name, label } = await jsonOf(call.exchange)
  if (typeof name === 'string') asset.name = rewritten(name)
  if (typeof label === 'string') asset.label = label || null
  await call.exchange.sendJson(200, view(repository, release, asset))
}

export async function deleteAsset({ exchange }: Call, repository: Repository, id: string): Promise<void> {
  const { release, asset } = assetAt(repository, id)
  if (repository.isArchived) throw forbidden('Repository was archived so is read-only.')
  release.assets.delete(asset.id)
  await exchange.send(204)
}

/** The content, for an address that is valid by itself: a request with an access token is refused. */
export async function sendContent(state: State, exchange: Exchange): Promise<void> {
  const known = state.downloads.get(exchange.url.pathname.split('/').at(-1) ?? '')
  await exchange.begin('download', known?.user.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  const limited = exchange.take('rateLimit')
  if (limited) return exchange.send(429, { 'retry-after': limited.retryAfter })
  if (exchange.request.headers.authorization !== undefined) return exchange.send(400)
  if (!known || known.expiresAt <= state.now()) return exchange.send(403)
  return sendRange(exchange, known.asset)
}

function sendRange(exchange: Exchange, { bytes: all }: Asset): Promise<void> {
  const header = exchange.take('ignoreRange') ? undefined : exchange.request.headers.range
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  const [start, end] = [Number(first ?? 0), Math.min(last ? Number(last) : all.length - 1, all.length - 1)]
  if (start > end) return exchange.send(416, { 'content-range': `bytes */${all.length}` })
  const bytes = all.subarray(start, end + 1)
  const range = first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${all.length}` }
  const headers = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', ...range }
  const status = first === undefined ? 200 : 206
  return exchange.sendObject(status, headers, bytes.length, Readable.from([bytes], { objectMode: false }))
}
