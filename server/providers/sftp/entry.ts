import type { Stats } from 'ssh2'
import type { Entry, EntryDetails, EntryRef } from '../driver.ts'
import { nameOf, parentOf, ROOT } from './paths.ts'

/** Devices, pipes and sockets are OTHER, and not shown: opening a pipe blocks the server. */
export type Kind = 'FILE' | 'FOLDER' | 'LINK' | 'OTHER'

/** What the server says about a path, without following links. `modifiedAt`: seconds since 1970. */
export type Attributes = { readonly kind: Kind; readonly size: number; readonly modifiedAt: number | null }

const RIGHTS = { read: true, write: true, rename: true, move: true, delete: true, share: true }
const DETAILS = {
  mimeType: null,
  createdAt: null,
  webUrl: null,
  nativeKind: null,
  exportTypes: [],
  target: null,
  rights: RIGHTS,
} satisfies Partial<EntryDetails>

/** POSIX file types, in the highest bits of the mode. */
const TYPES: ReadonlyMap<number, Kind> = new Map([
  [0o100000, 'FILE'],
  [0o040000, 'FOLDER'],
  [0o120000, 'LINK'],
])
const BY_LETTER: Readonly<Record<string, Kind>> = { '-': 'FILE', d: 'FOLDER', l: 'LINK' }

/** `longname`: a line as of `ls -l`, for servers that send no mode. */
export function attributesOf({ mode, size, mtime }: Partial<Stats>, longname = ''): Attributes {
  const type = mode === undefined ? BY_LETTER[longname.charAt(0)] : TYPES.get(mode & 0o170000)
  return { kind: type ?? 'OTHER', size: size ?? 0, modifiedAt: mtime ?? null }
}

/** Of a file, a folder or a link. `target`: of a link. */
export function entryOf(ref: EntryRef, attributes: Attributes, target: EntryRef | null = null): Entry {
  const { kind, size, modifiedAt } = attributes
  return {
    ref,
    name: ref === ROOT ? '' : nameOf(ref),
    kind: kind === 'FOLDER' ? 'folder' : 'file',
    size: kind === 'FILE' ? size : null,
    modifiedAt: modifiedAt === null ? null : new Date(modifiedAt * 1000),
    hash: null,
    details: {
      ...DETAILS,
      parent: ref === ROOT ? null : parentOf(ref),
      revision: kind === 'FOLDER' ? null : revisionOf(attributes),
      ...(kind === 'LINK' && { nativeKind: 'SHORTCUT' as const, target }),
      ...(ref === ROOT && { rights: { ...RIGHTS, rename: false, move: false, delete: false } }),
    },
  }
}

/** The server knows nothing better: a change within the same second that keeps the size is not seen. */
export function revisionOf({ size, modifiedAt }: Attributes): string {
  return `${size}-${modifiedAt ?? ''}`
}
