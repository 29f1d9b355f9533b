import type { ByteReader, Bytes } from '../byteReader.ts'
import { remoteBytes } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { PreviewError } from '../previewError.ts'
import { gzippedTar, plainTar, readTar, readTarEntry } from './tar.ts'
import { isReadable, readEntry, readZip } from './zip.ts'

export const MOST_ENTRIES = 10_000
/** Of an entry that is extracted: it is held in memory. */
const MOST_ENTRY_BYTES = 64 * 1024 * 1024

export type ArchiveEntry = {
  /** With its folders, as the archive writes it. */
  readonly path: string
  readonly isFolder: boolean
  readonly size: number
  /** Why it cannot be extracted here; null: it can. */
  readonly refusal: string | null
  readonly extract: (signal: AbortSignal) => Promise<Bytes>
}

export type Archive = { readonly entries: readonly ArchiveEntry[]; readonly isCut: boolean }

/** By its name. */
export type ArchiveKind = 'zip' | 'tar' | 'tgz'

/** Lists an archive without extracting it. @throws PreviewError */
export async function readArchive(
  kind: ArchiveKind,
  url: string,
  file: ByteReader,
  signal: AbortSignal,
): Promise<Archive> {
  if (kind === 'zip') return readZipArchive(url, file)
  const open = async (within: AbortSignal) =>
    kind === 'tgz' ? gzippedTar(url, within) : plainTar(remoteBytes(url, file.size, within))
  const source = await open(signal)
  const { entries, isCut } = await readTar(source, MOST_ENTRIES)
  await source.close()
  return {
    isCut,
    entries: entries.map((entry) => ({
      path: entry.name,
      isFolder: entry.isFolder,
      size: entry.size,
      refusal: entry.hasContent ? refusalOf(entry.size) : messages.entryUnknown,
      extract: async (within) => readTarEntry(await open(within), entry),
    })),
  }
}

async function readZipArchive(url: string, file: ByteReader): Promise<Archive> {
  const { entries, isCut } = await readZip(file, MOST_ENTRIES)
  return {
    isCut,
    entries: entries.map((entry) => ({
      path: entry.name,
      isFolder: entry.isFolder,
      size: entry.size,
      refusal: zipRefusal(entry),
      async extract(signal) {
        const bytes = await readEntry(remoteBytes(url, file.size, signal), entry, MOST_ENTRY_BYTES)
        if (bytes.length !== entry.size) throw new PreviewError(messages.damaged)
        return bytes
      },
    })),
  }
}

function zipRefusal(entry: Parameters<typeof isReadable>[0]): string | null {
  if (entry.isEncrypted) return messages.entryEncrypted
  return isReadable(entry) ? refusalOf(entry.size) : messages.entryUnknown
}

const refusalOf = (size: number): string | null =>
  size > MOST_ENTRY_BYTES ? messages.entryTooLarge(MOST_ENTRY_BYTES) : null

/** A folder of the tree, or an entry. */
export type TreeNode = {
  readonly name: string
  readonly children: Map<string, TreeNode> | null
  readonly entry: ArchiveEntry | null
}

/** Deeper folders are shown as one name: a path of 10,000 slashes is no tree. */
const DEEPEST = 32

/** The entries as folders. Names like ".." lead nowhere: they are names. */
export function treeOf(entries: readonly ArchiveEntry[]): TreeNode {
  const root: TreeNode = { name: '', children: new Map(), entry: null }
  for (const entry of entries) {
    const all = entry.path.split(/[/\\]/).filter((part) => part !== '' && part !== '.')
    const parts = all.length > DEEPEST ? [...all.slice(0, DEEPEST), all.slice(DEEPEST).join('/')] : all
    const last = parts.pop()
    if (last === undefined) continue
    const folder = parts.reduce(folderIn, root)
    if (entry.isFolder) folderIn(folder, last)
    // A file and a folder of one name, and two files of one name, are both shown.
    else folder.children?.set(`${last}\0${folder.children.size}`, { name: last, children: null, entry })
  }
  return root
}

function folderIn(parent: TreeNode, name: string): TreeNode {
  const known = parent.children?.get(name)
  if (known) return known
  const made: TreeNode = { name, children: new Map(), entry: null }
  parent.children?.set(name, made)
  return made
}

/** Folders first, then by name. */
export function sortedChildren({ children }: TreeNode): TreeNode[] {
  const collator = new Intl.Collator(undefined, { numeric: true })
  return [...(children?.values() ?? [])].sort(
    (a, b) => Number(b.children !== null) - Number(a.children !== null) || collator.compare(a.name, b.name),
  )
}
