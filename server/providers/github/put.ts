import { createHash } from 'node:crypto'
import { abortable } from '../../lib/concurrency.ts'
import type { Call, Entry, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure } from '../errors.ts'
import { sessionFormat } from '../shared/session.ts'
import { createRunningHash, openSource } from '../shared/source.ts'
import {
  type Asset,
  assetsPage,
  checkName,
  EMPTY_MARK,
  entryOf,
  isComplete,
  newAssetName,
  ROOT,
  refOf,
  remove,
  storedHash,
} from './assets.ts'
import { UPLOADS } from './client.ts'
import { failed, isFull, KIND } from './errors.ts'
import { checkPrivate, inRepository, openRelease, type Release, repositoryOf, type Storage } from './repository.ts'

type Upload = PutRequest & { readonly storage: Storage }

/** The saved state of an upload, which is one request. The name of its asset is random: what has it is this upload's. */
type Session = { readonly asset: string; readonly release: Release; readonly size: number }

const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { asset, release, size } = value as Record<string, unknown>
  return typeof asset === 'string' && typeof release === 'object' && release !== null && typeof size === 'number'
}

const WHERE = { provider: KIND, operation: 'put' }
/** GitHub answers after it has stored the content. */
const UPLOAD_PATIENCE_MS = 120_000

/** "Each file included in a release must be under 2 GiB" (docs.github.com, "About releases"). */
export const MAX_FILE_BYTES = 2 * 1024 ** 3 - 1

/**
 * Driver.put: one request, which cannot be continued. If its answer was lost, the asset with the session's name is taken for the result
 * when it has the same size and SHA-256; otherwise it is deleted, and the content is sent again.
 */
export async function put(upload: Upload): Promise<Entry> {
  const { storage, call, entry, progress } = upload
  checkEntry(entry)
  checkPrivate(await repositoryOf(storage, call, WHERE.operation), WHERE.operation)
  const saved = readSession(progress.session)
  const session = saved && saved.size === entry.size ? saved : null
  const known = session && (await findOwn(upload, session))
  const asset = known ?? (await send(upload, session ?? (await start(upload))))
  progress.onProgress(entry.size)
  return entryOf(asset)
}

/** @throws BadName, TooLarge, NotFound */
function checkEntry({ parent, name, size }: NewEntry): void {
  if (parent !== ROOT) throw failed(WHERE.operation, 'NotFound', 'GitHub keeps no folders.')
  checkName(name, WHERE.operation)
  if (size > MAX_FILE_BYTES)
    throw failed(WHERE.operation, 'TooLarge', `GitHub accepts ${MAX_FILE_BYTES} bytes at most.`)
}

async function start({ storage, call, entry: { size } }: Upload, full?: Release): Promise<Session> {
  const release = await openRelease(storage, call, WHERE.operation, full)
  return { asset: newAssetName(size), release, size }
}

/** Other servers fill releases, too. */
const MAX_RELEASES_TRIED = 3

async function send(upload: Upload, session: Session, tried = 1): Promise<Asset> {
  try {
    return await sendOnce(upload, session)
  } catch (error) {
    const isGone = isFailure(error, 'NotFound')
    if ((isGone || isFull(error)) && tried < MAX_RELEASES_TRIED) {
      if (isGone) upload.storage.release = null
      return send(upload, await start(upload, isGone ? undefined : session.release), tried + 1)
    }
    // The name is random: an earlier attempt has arrived.
    if (!isFailure(error, 'Conflict')) throw error
    const known = await findOwn(upload, session)
    if (known) return known
    throw failed(WHERE.operation, 'Transient', 'The asset of an earlier attempt was not complete.')
  }
}

async function sendOnce(upload: Upload, session: Session): Promise<Asset> {
  const { storage, call, entry, content, progress } = upload
  await progress.save(sessionText(session))
  call.signal.throwIfAborted()
  const hash = createRunningHash('sha256', entry.size)
  const source = openSource(content, 0, hash, WHERE)
  const sentBytes = entry.size || EMPTY_MARK.length
  try {
    const body = { length: sentBytes, bytes: bytesOf(source.take(entry.size), entry.size) }
    const asset = await abortable(
      call.signal,
      inRepository(storage, call, WHERE.operation, (path) =>
        storage.client.ask<Asset>(call, WHERE.operation, {
          method: 'POST',
          url: `${UPLOADS}${path}/releases/${session.release.id}/assets`,
          query: { name: session.asset, label: entry.name },
          headers: { 'content-type': 'application/octet-stream' },
          body,
          patienceMs: UPLOAD_PATIENCE_MS,
        }),
      ),
    )
    return await checkStored(upload, asset, sentBytes, entry.size === 0 ? MARK_HASH : hash.digest())
  } finally {
    source.close()
  }
}

const MARK_HASH = createHash('sha256').update(EMPTY_MARK).digest('hex')

async function* bytesOf(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  yield* bytes
  if (size === 0) yield EMPTY_MARK
}

/** Deletes a stored asset with wrong bytes. @throws Corrupt */
async function checkStored({ storage, call }: Upload, asset: Asset, size: number, sent: string | null): Promise<Asset> {
  const hash = storedHash(asset)
  if (isComplete(asset) && asset.size === size && (hash === null || hash === sent)) return asset
  await remove(storage, call, refOf(asset), WHERE.operation)
  const message =
    asset.size === size ? 'The stored bytes differ from those sent.' : `${asset.size} of ${size} bytes were stored.`
  throw failed(WHERE.operation, 'Corrupt', message)
}

/** The asset of an earlier attempt, if it has the content. One that is incomplete or has other bytes is deleted. */
async function findOwn(upload: Upload, session: Session): Promise<Asset | null> {
  const { storage, call, entry } = upload
  const asset = await assetNamed(storage, call, WHERE.operation, session)
  if (!asset) return null
  const size = entry.size || EMPTY_MARK.length
  const isSame = isComplete(asset) && asset.size === size && storedHash(asset) === (await hashOf(upload))
  if (isSame) return asset
  await remove(storage, call, refOf(asset), WHERE.operation)
  return null
}

/** Of what is sent for the content. */
async function hashOf({ content, call }: Upload): Promise<string | null> {
  if (content.size === 0) return MARK_HASH
  const hash = createRunningHash('sha256', content.size)
  const source = openSource(content, 0, hash, WHERE)
  try {
    const read = async (): Promise<string | null> => {
      for await (const _ of source.take(content.size)) call.signal.throwIfAborted()
      return hash.digest()
    }
    // A source that hangs does not end by being closed.
    return await abortable(call.signal, read())
  } finally {
    source.close()
  }
}

/** GitHub has no call for an asset by its name. Null also when the release was deleted. */
async function assetNamed(
  storage: Storage,
  call: Call,
  operation: string,
  { asset: name, release }: Session,
): Promise<Asset | null> {
  for (let page = 1; ; page += 1) {
    const found = await assetsPage(storage, call, operation, release, page).catch((error: unknown) => {
      if (isFailure(error, 'NotFound')) return { assets: [], isLast: true }
      throw error
    })
    const asset = found.assets.find((one) => one.name === name)
    if (asset || found.isLast) return asset ?? null
  }
}

/** Driver.abandon: deletes the asset of the upload, also an incomplete one. */
export async function abandon(storage: Storage, call: Call, text: string, isNeeded?: IsNeeded): Promise<void> {
  const session = readSession(text)
  const asset = session && (await assetNamed(storage, call, 'abandon', session))
  if (asset && !(await isNeeded?.(refOf(asset)))) await remove(storage, call, refOf(asset), 'abandon')
}
