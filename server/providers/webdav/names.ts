import { randomBytes } from 'node:crypto'
import type { EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { childRef } from './address.ts'

/** In UTF-8 bytes, as file systems count. */
export const MAX_NAME = 255
/** Names of uploads in progress, which lists leave out. Nextcloud refuses names that end in `.part`. */
export const TEMPORARY = /^\.skypool-[\da-f]{32}\.tmp$/

/** The place of a new upload, in the folder that it will be in: a rename within one folder is atomic. */
export function newTemporary(parent: EntryRef): EntryRef {
  return childRef(parent, `.skypool-${randomBytes(16).toString('hex')}.tmp`, 'file')
}

/** @throws BadName for what no server accepts, and for characters that XML cannot contain: lists would be unreadable */
export function checkName(name: string, operation: string): void {
  const isName = name !== '' && name !== '.' && name !== '..' && !/[/\p{Cc}\ufffe\uffff]|\p{Surrogate}/u.test(name)
  if (isName && Buffer.byteLength(name) <= MAX_NAME && !TEMPORARY.test(name)) return
  throw new ProviderError(
    'BadName',
    { provider: 'webdav', operation },
    { message: 'WebDAV servers do not accept this name.' },
  )
}
