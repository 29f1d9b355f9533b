import type { Readable } from 'node:stream'
import { createContentHash } from '../../../lib/contentHash.ts'
import { newId } from '../../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef, HashAlgorithm } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { EXPORT_MEDIA_TYPES, type ExportType, isExportType, usualExportType } from '../../../providers/exportTypes.ts'
import { type ByteReader, type ByteSource, type Reading, readRange } from '../../../storage/byteSource.ts'
import { ConflictError, ContentUnavailableError, InvalidInputError, TooLargeError } from '../../errors.ts'
import type { ExportedDocument, File } from '../contract.ts'
import { type CopyStream, createCopyStream, type OpenPart, type Part } from './copyStream.ts'
import { reasonOfError, retryAfterOf } from './states.ts'

/** Where an account has a file under its own name. */
export type InPlaceContent = {
  readonly accountId: string
  readonly accountName: string
  readonly ref: string
  /** The provider's kind of document, which has no bytes; null for ordinary files. */
  readonly nativeKind: string | null
  /** The formats in which such a document can be exported. */
  readonly exportTypes: readonly ExportType[]
  /** As the index knows it: the provider allows downloading. */
  readonly readable: boolean
  /** The account could be reached recently. */
  readonly present: boolean
  /** The file with the newest protecting copy; null: there is none. */
  readonly protectedBy: string | null
}

export type InPlaceDeps = {
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  /** An account that sends nothing for this long in the middle of a response has failed. */
  readonly stallMs: number
}

/** The longest wait (ms) that an account may ask for: a reader waits for the first byte. */
const PATIENCE_MS = 5_000
const STAT_TIMEOUT_MS = 20_000
/** Requests per reader after which an account that breaks off counts as failed. */
const ATTEMPTS = 4

/**
 * Opens a file at its account, in its newest state: `file` has the size and time that the account reports now. While it is read, its
 * revision is checked before every further request, and its hash after a complete read, so that two versions are never mixed.
 * @param place of a file with bytes
 * @throws ContentUnavailableError
 */
export async function openInPlace(deps: InPlaceDeps, file: File, place: InPlaceContent): Promise<OpenedInPlace> {
  const driver = await deps.openDriver(place.accountId).catch((error: unknown) => {
    throw unavailable(place, error)
  })
  const entry = await inspect(deps, driver, place)
  if (entry.details?.rights.read === false) {
    throw new ContentUnavailableError(`“${place.accountName}” does not allow downloading “${file.name}”.`)
  }
  const size = entry.size ?? 0
  const updatedAt = entry.modifiedAt ?? file.updatedAt
  const { hash: algorithm } = driver.capabilities
  const hash = algorithm === null || entry.hash === null ? null : { algorithm, digest: entry.hash }
  const source = sourceOf(deps, driver, place, entry, size)
  return {
    file: { ...file, size, updatedAt },
    source,
    version: versionOf(entry),
    revision: entry.details?.revision ?? null,
    hash,
  }
}

export type OpenedInPlace = {
  readonly file: File
  readonly source: ByteSource
  readonly version: string
  /** What the account calls this version; null where it has no name for it. */
  readonly revision: string | null
  readonly hash: ReportedHash | null
}

/** The hash of a whole content, in lower-case hex. */
export type ReportedHash = { readonly algorithm: HashAlgorithm; readonly digest: string }

/** Two entries with the same version have the same content. */
export function versionOf({ size, hash, modifiedAt, details }: Entry): string {
  return JSON.stringify([size, details?.revision ?? hash ?? modifiedAt])
}

/** What the account reports of it now. @throws ContentUnavailableError */
async function inspect({ report }: InPlaceDeps, driver: Driver, place: InPlaceContent): Promise<Entry> {
  const signal = AbortSignal.timeout(STAT_TIMEOUT_MS)
  const call: Call = { signal, requestId: newId(), lastChance: true, patienceMs: PATIENCE_MS }
  try {
    // Only refs that this driver has issued are stored.
    return await driver.stat(call, place.ref as EntryRef)
  } catch (error) {
    if (error instanceof ProviderError) report.failed(place.accountId, error)
    throw unavailable(place, error)
  }
}

/** The account cannot be read now, and why. */
function unavailable({ accountName }: InPlaceContent, error: unknown): ContentUnavailableError {
  const reason = reasonOfError(accountName, error)[0] ?? `“${accountName}” does not answer`
  return new ContentUnavailableError(`This file cannot be read now: ${reason}.`, {
    retryAfterSeconds: retryAfterOf([error]),
    cause: error,
  })
}

function sourceOf(deps: InPlaceDeps, driver: Driver, place: InPlaceContent, entry: Entry, size: number): ByteSource {
  const open = async (reading: Reading = { start: 0, end: size - 1 }) =>
    size === 0 ? EMPTY_READER : createReader(deps, driver, place, entry, size, reading)
  return { size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}

const EMPTY_READER: ByteReader = { read: async () => 0, close: async () => undefined }

function createReader(
  deps: InPlaceDeps,
  driver: Driver,
  place: InPlaceContent,
  entry: Entry,
  size: number,
  { start, end, signal }: Reading,
): ByteReader {
  const part: Part = { ...place, id: place.ref, local: false, offset: 0, size, hash: null, unseen: false }
  const copy = { id: place.ref, parts: [part], suspectBlock: null }
  const requestId = newId()
  const openPart: OpenPart = async ({ ref }, from, to, call) => {
    const request = { ...call, requestId, patienceMs: PATIENCE_MS }
    return (await driver.get(request, ref as EntryRef, { start: from, end: to })).body
  }
  const whole = start === 0 && end === size - 1 ? createCheck(driver.capabilities.hash, entry) : null
  let stream: CopyStream | undefined
  let attempts = 0

  function openAt(position: number): CopyStream {
    stream?.close()
    const opened = createCopyStream({ openPart, stallMs: deps.stallMs, copy, start: position, end, lastChance: true })
    signal?.addEventListener('abort', opened.close, { once: true })
    return opened
  }

  /** Fills the target, if need be with further requests for the same revision. */
  async function fill(target: Buffer, position: number): Promise<void> {
    try {
      if (stream?.position() !== position) stream = openAt(position)
      await stream.fill(target)
    } catch (error) {
      signal?.throwIfAborted()
      attempts += 1
      if (error instanceof ProviderError) deps.report.failed(place.accountId, error)
      if (attempts >= ATTEMPTS || isFinal(error)) throw unavailable(place, error)
      requireSame(place, entry, await inspect(deps, driver, place))
      stream = openAt(position)
      await fill(target, position)
    }
  }

  return {
    async read(target, position) {
      const wanted = target.subarray(0, Math.min(target.length, end - position + 1))
      await fill(wanted, position)
      whole?.update(wanted, position)
      const isLast = position + wanted.length === end + 1
      if (isLast) {
        deps.report.worked(place.accountId)
        if (whole && !whole.isRight()) throw replaced(place)
      }
      return wanted.length
    },
    async close() {
      stream?.close()
    },
  }
}

function isFinal(error: unknown): boolean {
  return (
    error instanceof ProviderError && ['NotFound', 'ReconnectNeeded', 'Forbidden', 'RateLimited'].includes(error.code)
  )
}

/** Compares a complete, sequential read with the hash that the provider reported before it. */
function createCheck(algorithm: HashAlgorithm | null, entry: Entry) {
  if (algorithm === null || entry.hash === null) return null
  const hash = createContentHash(algorithm)
  let next = 0
  return {
    update(bytes: Buffer, position: number): void {
      if (position !== next) return
      hash.update(bytes)
      next += bytes.length
    },
    isRight: () => next !== entry.size || hash.digest() === entry.hash,
  }
}

function requireSame(place: InPlaceContent, before: Entry, now: Entry): void {
  const revision = (entry: Entry) => entry.details?.revision ?? entry.hash
  if (before.size !== now.size || revision(before) !== revision(now)) throw replaced(place)
}

function replaced({ accountName }: InPlaceContent): ContentUnavailableError {
  return new ContentUnavailableError(
    `This file was replaced in “${accountName}” while it was read. Please open it again.`,
  )
}

/** @param type undefined: the usual one. @throws ConflictError, InvalidInputError, ContentUnavailableError */
export function exportDocument(
  deps: InPlaceDeps,
  file: File,
  place: InPlaceContent | null,
  type: string | undefined,
): ExportedDocument {
  const { name } = file
  if (!place || !file.isNative) {
    throw new ConflictError(`“${name}” is an ordinary file, which has its own format. Please download it as it is.`)
  }
  if (place.nativeKind === 'SHORTCUT') {
    throw new ConflictError(`“${name}” is a shortcut. Please download what it points to.`)
  }
  const usual = usualExportType(place.exportTypes)
  if (usual === null) throw new ConflictError(`“${name}” can only be opened at its provider.`)
  if (!place.readable) {
    throw new ContentUnavailableError(`“${place.accountName}” does not allow downloading “${name}”.`)
  }
  const wanted = type ?? usual
  if (!isExportType(wanted) || !place.exportTypes.includes(wanted)) {
    const message = `“${name}” can be downloaded as ${place.exportTypes.join(', ')}, not as ${wanted}.`
    throw new InvalidInputError([{ path: 'type', message }])
  }
  return {
    file,
    name: exportName(name, wanted),
    type: wanted,
    mimeType: EXPORT_MEDIA_TYPES[wanted],
    read: () => begin(deps, file, place, wanted),
  }
}

/** Why a document cannot be read like a file, and what can be done instead. */
export function withoutBytes({ name }: File, { nativeKind, exportTypes }: InPlaceContent): ContentUnavailableError {
  if (nativeKind === 'SHORTCUT')
    return new ContentUnavailableError(`“${name}” is a shortcut, which has no content itself.`)
  const instead = exportTypes.length > 0 ? `Please download it as ${exportTypes.join(', ')}, or` : 'Please'
  return new ContentUnavailableError(
    `“${name}” is a document of its provider without a file. ${instead} open it there.`,
  )
}

/** Dropbox shows its own extension in the names of documents. */
const OWN_EXTENSION = /\.papert?$/i

/** As programs that read the type expect it. */
function exportName(name: string, type: ExportType): string {
  const stem = name.replace(OWN_EXTENSION, '')
  return stem.toLowerCase().endsWith(`.${type}`) ? stem : `${stem}.${type}`
}

/** A reader waits for the first bytes. Documents are converted first, which takes longer than opening a file. */
const TIMEOUT_MS = 120_000

async function begin(deps: InPlaceDeps, file: File, place: InPlaceContent, type: ExportType): Promise<Readable> {
  const driver = await deps.openDriver(place.accountId).catch((error: unknown) => {
    throw unavailable(place, error)
  })
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('The export took too long.', 'TimeoutError')), TIMEOUT_MS)
  try {
    const body = await ask(driver, late.signal, place, type)
    deps.report.worked(place.accountId)
    return body
  } catch (error) {
    if (error instanceof ProviderError) deps.report.failed(place.accountId, error)
    throw refusal(file, place, type, error)
  } finally {
    clearTimeout(timer)
  }
}

async function ask(driver: Driver, signal: AbortSignal, place: InPlaceContent, type: ExportType): Promise<Readable> {
  if (!driver.export) throw new Error('The driver of an account with native documents cannot export them.')
  const call = { signal, requestId: newId(), lastChance: true, patienceMs: PATIENCE_MS }
  // Only refs that this driver has issued are stored.
  return (await driver.export(call, place.ref as EntryRef, type)).body
}

function refusal({ name }: File, place: InPlaceContent, type: ExportType, error: unknown): Error {
  const code = error instanceof ProviderError ? error.code : null
  const { accountName } = place
  if (code === 'TooLarge') {
    return new TooLargeError(`“${name}” is too large: “${accountName}” does not convert it. Please open it there.`)
  }
  if (code === 'Permanent') return new ConflictError(`“${accountName}” does not offer “${name}” as ${type} any more.`)
  if (code === 'Forbidden') {
    return new ContentUnavailableError(`“${accountName}” does not allow downloading “${name}”.`, { cause: error })
  }
  return unavailable(place, error)
}
