/** An upload that a reload interrupted and that can resume once its file is chosen again. `lastModified` is Unix ms. */
export type Resumable = {
  readonly uploadUrl: string
  readonly name: string
  readonly size: number
  readonly lastModified: number
  readonly parentId: string | null
  readonly groupCloudId: string | null
  /** Name of the destination folder. */
  readonly place: string
}

const PREFIX = 'skypool.resume.'

/** Identifies a file that was chosen again: browsers provide no path. */
type Fingerprint = Pick<Resumable, 'name' | 'size' | 'lastModified'>

export const isSameFile = (a: Fingerprint, b: Fingerprint): boolean =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified

/** Unfinished uploads of one user in this browser. Only names and URLs are kept, never bytes. */
export function createResumeStore(userId: string, storage: Storage = localStorage) {
  const key = `${PREFIX}${userId}`

  const list = (): readonly Resumable[] => parse(storage.getItem(key))
  const write = (entries: readonly Resumable[]) => {
    if (entries.length === 0) return storage.removeItem(key)
    try {
      storage.setItem(key, JSON.stringify(entries))
    } catch (error) {
      // The browser's storage is full or unavailable: the upload continues, but cannot resume after a reload.
      console.warn('Could not save an upload for resuming after a reload', error)
    }
  }

  return {
    list,
    remember(entry: Resumable): void {
      write([...list().filter(({ uploadUrl }) => uploadUrl !== entry.uploadUrl), entry])
    },
    forget(uploadUrl: string): void {
      write(list().filter((entry) => entry.uploadUrl !== uploadUrl))
    },
    clear: () => storage.removeItem(key),
  }
}

export type ResumeStore = ReturnType<typeof createResumeStore>

/** Removes those of all users, and unsaved text: for logout, so that the next user of this browser sees nothing of them. */
export function forgetTransfers(storage: Storage = localStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  for (const key of keys) if (key && /^skypool\.(resume|draft)\./.test(key)) storage.removeItem(key)
}

function parse(text: string | null): readonly Resumable[] {
  if (!text) return []
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) ? entries.filter(isResumable) : []
  } catch {
    // Written by something else or truncated: nothing in it can be resumed.
    return []
  }
}

function isResumable(value: unknown): value is Resumable {
  const entry = value as Partial<Resumable> | null
  return typeof entry?.uploadUrl === 'string' && typeof entry.name === 'string' && typeof entry.size === 'number'
}
