/**
 * One thing of a drop, in the order in which it was found. `folders` is the path below the drop target: for a FILE the
 * folders that hold it, for a FOLDER also its own name. UNREADABLE is what the browser could not open.
 */
export type DropEntry =
  | { readonly kind: 'FILE'; readonly file: File; readonly folders: readonly string[] }
  | { readonly kind: 'FOLDER'; readonly folders: readonly string[] }
  | { readonly kind: 'UNREADABLE'; readonly name: string; readonly folders: readonly string[] }

/**
 * Everything that was dropped, folders walked to the bottom, empty ones included. Must be called inside the drop
 * handler: the browser empties the DataTransfer as soon as that returns.
 */
export function readDrop(dataTransfer: DataTransfer): Promise<DropEntry[]> {
  const roots = [...dataTransfer.items].filter((item) => item.kind === 'file').map(openItem)
  return Promise.all(roots.map(readRoot)).then((lists) => lists.flat())
}

/** Files of an input or of the clipboard; a folder input's `webkitRelativePath` becomes `folders`. */
export function fileEntries(files: Iterable<File>): DropEntry[] {
  return [...files].map((file) => ({
    kind: 'FILE',
    file,
    folders: file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(0, -1) : [],
  }))
}

type Root = { readonly entry: FileSystemEntry | null; readonly file: File | null }

/** Both immediately: the item is invalid after the handler. */
function openItem(item: DataTransferItem): Root {
  return { entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }
}

function readRoot({ entry, file }: Root): Promise<DropEntry[]> {
  if (entry) return walk(entry, [])
  return Promise.resolve(file ? [{ kind: 'FILE', file, folders: [] }] : [])
}

async function walk(entry: FileSystemEntry, folders: readonly string[]): Promise<DropEntry[]> {
  try {
    if (!entry.isDirectory) return [{ kind: 'FILE', file: await fileOf(entry as FileSystemFileEntry), folders }]
    const path = [...folders, entry.name]
    const children = await childrenOf(entry as FileSystemDirectoryEntry)
    const below: DropEntry[] = []
    // One after the other: a drop of 10,000 files must not open 10,000 handles at once.
    for (const child of children) below.push(...(await walk(child, path)))
    return [{ kind: 'FOLDER', folders: path }, ...below]
  } catch {
    return [{ kind: 'UNREADABLE', name: entry.name, folders }]
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** `readEntries` returns batches (100 in Chromium); an empty one is the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (portion.length === 0) return all
    all.push(...portion)
  }
}
