import type { Capabilities, NewEntry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { WHERE } from './putJob.ts'
import { isName, MAX_NAME } from './wire.ts'

const MAX_FILE_BYTES = 2 ** 41 - 2 ** 22

export const CAPABILITIES: Capabilities = {
  hash: 'dropbox',
  duplicateNames: false,
  caseSensitive: false,
  maxObjectBytes: MAX_FILE_BYTES,
  maxNameLength: MAX_NAME,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  // Dropbox gives names one after the other; bytes come side by side all the same.
  maxConcurrentWrites: 4,
  resumable: true,
}

/** @throws BadName, TooLarge, before anything is sent */
export function checkEntry({ name, size }: NewEntry): void {
  if (!isName(name)) throw new ProviderError('BadName', WHERE, { message: 'Dropbox does not take this name.' })
  if (size <= MAX_FILE_BYTES) return
  throw new ProviderError('TooLarge', WHERE, { message: `Dropbox takes ${MAX_FILE_BYTES} bytes at most.` })
}
