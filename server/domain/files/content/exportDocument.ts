import type { Readable } from 'node:stream'
import { newId } from '../../../lib/ids.ts'
import type { Driver, EntryRef } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { EXPORT_MEDIA_TYPES, type ExportType, isExportType, usualExportType } from '../../../providers/exportTypes.ts'
import { ConflictError, ContentUnavailableError, InvalidInputError, TooLargeError } from '../../errors.ts'
import type { ExportedDocument, File } from '../contract.ts'
import type { InPlaceContent } from './findContent.ts'
import { type InPlaceDeps, PATIENCE_MS, unavailable } from './inPlace.ts'

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
