import type { EntryRef } from '../driver.ts'
import { failed } from './errors.ts'

/**
 * Entries are identified by their path below the folder of the account, without a slash at its beginning. The folder itself has a
 * name that no path below it has.
 */
export const ROOT = '.' as EntryRef

export const MAX_NAME_BYTES = 255
/** PATH_MAX of Linux, which is shorter elsewhere. */
const MAX_PATH_BYTES = 4095
/** Contents that are not complete yet, next to where they will be. Not listed. */
const PART = /^\.skypool-[0-9a-f-]{36}\.part$/

export function partName(id: string): string {
  return `.skypool-${id}.part`
}

export function isPart(name: string): boolean {
  return PART.test(name)
}

/** On the server. `base`: the folder of the account. @throws NotFound for what is no ref of this driver */
export function pathOf(base: string, ref: string): string {
  if (ref === ROOT) return base
  const isBelow = ref.split('/').every((name) => name !== '' && name !== '.' && name !== '..') && !ref.includes('\0')
  if (!isBelow) throw failed('path', 'NotFound', 'There is no such entry.')
  return base.endsWith('/') ? `${base}${ref}` : `${base}/${ref}`
}

export function refIn(folder: string, name: string): EntryRef {
  return (folder === ROOT ? name : `${folder}/${name}`) as EntryRef
}

export function parentOf(ref: string): EntryRef {
  const slash = ref.lastIndexOf('/')
  return slash < 0 ? ROOT : (ref.slice(0, slash) as EntryRef)
}

export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** The folders from the root to the one that contains the entry, and the name that leads on in each. */
export function stepsTo(ref: string): { readonly folder: EntryRef; readonly name: string }[] {
  const names = ref.split('/')
  return names.map((name, at) => ({ folder: at === 0 ? ROOT : (names.slice(0, at).join('/') as EntryRef), name }))
}

/** @throws BadName where no server accepts the name of a new entry, or it is one of the driver's own */
export function checkName(operation: string, folder: string, name: string): void {
  const isName = name !== '' && name !== '.' && name !== '..' && !/[/\0]|\p{Surrogate}/u.test(name) && !isPart(name)
  const isShort = Buffer.byteLength(name) <= MAX_NAME_BYTES && Buffer.byteLength(refIn(folder, name)) <= MAX_PATH_BYTES
  if (!isName || !isShort) throw failed(operation, 'BadName', 'The server does not accept this name.')
}

/** Where a symbolic link leads to, if that is below the folder of the account. `link`: its ref. */
export function targetOf(base: string, link: string, target: string): EntryRef | null {
  const from = target.startsWith('/') ? '' : pathOf(base, parentOf(link))
  const names: string[] = []
  for (const name of `${from}/${target}`.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  const path = `/${names.join('/')}`
  const above = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(above) && path !== above ? (path.slice(above.length) as EntryRef) : null
}
