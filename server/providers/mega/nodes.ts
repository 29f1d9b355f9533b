import type { Entry, EntryRef, EntryRights } from '../driver.ts'
import { type Attributes, attributeKey, decryptAttributes, decryptKey, fromBase64 } from './crypto.ts'

/** Types of nodes: a file, a folder, and the three folders that every account has. */
export const NODE = { file: 0, folder: 1, root: 2, inbox: 3, trash: 4 } as const

/** A node as MEGA reports it. The names are those of its API. */
export type MegaNode = {
  /** Handle. */
  readonly h: string
  /** Handle of the parent; of an older version of a file, the newer version. */
  readonly p: string
  readonly t: number
  /** Encrypted attributes. */
  readonly a: string
  /** Encrypted keys: `<handle of a user or share>:<key>`, separated by slashes. */
  readonly k: string
  /** Seconds since 1970. */
  readonly ts: number
  /** Size of a file. */
  readonly s: number
}

/** @returns null for a value that is no node. Strings are copied, so that they do not keep the whole response in memory. */
export function readNode(value: unknown): MegaNode | null {
  if (typeof value !== 'object' || value === null) return null
  const { h, p, t, a, k, ts, s } = value as Record<string, unknown>
  if (typeof h !== 'string' || typeof t !== 'number') return null
  const text = (given: unknown): string => (typeof given === 'string' ? given : '')
  const number = (given: unknown): number => (typeof given === 'number' ? given : 0)
  return { h, p: text(p), t, a: text(a), k: text(k), ts: number(ts), s: number(s) }
}

/** The keys of an account: its own, and those of folders that it shares, by handle. */
export type Keys = { readonly master: Buffer; readonly user: string; readonly shares: ReadonlyMap<string, Buffer> }

/** A decrypted node. */
export type OpenNode = { readonly key: Buffer; readonly attributes: Attributes }

/** Null when none of the node's keys can be used, or its attributes are damaged. */
export function openNode(node: Pick<MegaNode, 't' | 'a' | 'k'>, keys: Keys): OpenNode | null {
  const length = node.t === NODE.file ? 32 : 16
  for (const part of node.k.split('/')) {
    const [owner = '', text = ''] = part.split(':')
    const key = owner === keys.user ? keys.master : keys.shares.get(owner)
    const encrypted = fromBase64(text)
    if (!key || encrypted.length !== length) continue
    const own = decryptKey(key, encrypted)
    const attributes = decryptAttributes(attributeKey(own), node.a)
    if (attributes) return { key: own, attributes }
  }
  return null
}

const ALL_RIGHTS: EntryRights = { read: true, write: true, rename: true, move: true, delete: true, share: true }
/** Of entries that others have added to a shared folder without a key for this account. */
const WITHOUT_KEY: EntryRights = { ...ALL_RIGHTS, read: false, write: false, rename: false, share: false }

export function entryOf(node: MegaNode, keys: Keys): Entry {
  const isFile = node.t === NODE.file
  const opened = isFile || node.t === NODE.folder ? openNode(node, keys) : null
  const hasKey = opened !== null || node.t > NODE.folder
  const createdAt = node.ts > 0 ? new Date(node.ts * 1000) : null
  return {
    ref: node.h as EntryRef,
    name: opened?.attributes.n ?? OWN_NAMES[node.t] ?? `Cannot be decrypted (${node.h})`,
    kind: isFile ? 'file' : 'folder',
    size: isFile ? node.s : null,
    modifiedAt: (isFile && timeOf(opened?.attributes.c)) || createdAt,
    hash: null,
    details: {
      parent: node.p === '' ? null : (node.p as EntryRef),
      mimeType: null,
      createdAt,
      // Another content is another file: its handle never has two contents.
      revision: isFile ? node.h : null,
      webUrl: `https://mega.nz/fm/${node.h}`,
      nativeKind: null,
      exportTypes: [],
      target: null,
      rights: hasKey ? ALL_RIGHTS : WITHOUT_KEY,
    },
  }
}

const OWN_NAMES: Readonly<Record<number, string>> = { 2: 'Cloud drive', 3: 'Vault', 4: 'Rubbish bin' }

const FINGERPRINT_BYTES = 16

/** The time in the attribute `c` of MEGA's own programs: a checksum, then the length of a little-endian number of seconds, and that. */
function timeOf(fingerprint: unknown): Date | null {
  if (typeof fingerprint !== 'string') return null
  const bytes = fromBase64(fingerprint)
  const length = bytes[FINGERPRINT_BYTES] ?? 0
  if (length < 1 || length > 5 || bytes.length < FINGERPRINT_BYTES + 1 + length) return null
  return new Date(bytes.readUIntLE(FINGERPRINT_BYTES + 1, length) * 1000)
}
