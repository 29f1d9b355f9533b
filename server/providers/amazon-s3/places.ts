import type { S3Page } from './objects.ts'

/**
 * What the uploads of one driver have seen of the folders that they store into. A lone upload looks for itself. Where several into one folder
 * are open at a time, they share a look that is at most LOOK_MS old: to ask about each small file takes as long as to send it.
 */
export type Places = {
  /** Before the first look for an upload. */
  enter(folder: string, key: string): Place
  /** After anything but an upload has changed the bucket: nothing that was seen before counts. */
  forget(): void
}

export type Place = {
  /**
   * Whether a shared look shows that the folder is there and, if `needsName`, that nothing has the key. After false, the caller has to ask the service.
   * `look`: reads the first page of the folder. Never rejects.
   */
  isKnown(needsName: boolean, look: () => Promise<S3Page>): Promise<boolean>
  /** The upload has ended, with any result. */
  leave(): void
}

/** As long as a small upload takes on a slow connection. */
const LOOK_MS = 2000
/**
 * The next look begins this many times as long before the end of LOOK_MS as the last one took, while uploads still use the one before. Not
 * earlier: a list of a full page keeps a service busy for as long as several small files do.
 */
const AHEAD = 2
/** A look is not renewed before it is so old, however long looks take. */
const RENEW_MS = 1000
/** Own names of one folder that are remembered, in case a list of the service lags behind. */
const MOST_WRITTEN = 10_000

type Seen = { readonly isThere: boolean; isFree(key: string): boolean }
type Look = { readonly at: number; readonly seen: Promise<Seen | null> }
type Folder = {
  /** How many uploads are open, by their keys. */
  readonly open: Map<string, number>
  /** Keys of uploads that a look may not show. */
  written: Set<string>
  look: Look | null
  /** The look that will replace it. */
  renewal: Look | null
  /** How long the last look took. */
  tookMs: number
}

export function createPlaces(now: () => number): Places {
  const folders = new Map<string, Folder>()

  /** Whether it began less than so many milliseconds ago. A clock can be set back. */
  function isYounger(look: Look | null, ms: number): look is Look {
    const age = look ? now() - look.at : ms
    return age >= 0 && age < ms
  }

  /** Null where the look failed: each upload finds out for itself why. */
  function begin(folder: Folder, look: () => Promise<S3Page>): Look {
    const at = now()
    const end = (page: S3Page): Seen => {
      folder.tookMs = now() - at
      return seenOf(page)
    }
    return { at, seen: look().then(end, () => null) }
  }

  function renew(folder: Folder, look: () => Promise<S3Page>): void {
    const renewal = begin(folder, look)
    folder.renewal = renewal
    void renewal.seen.then((seen) => {
      if (folder.renewal !== renewal) return
      folder.renewal = null
      if (seen) folder.look = renewal
    })
  }

  function seenIn(folder: Folder, look: () => Promise<S3Page>): Promise<Seen | null> {
    if (isYounger(folder.look, LOOK_MS)) {
      // Own names are forgotten only when nothing is in use that may not show them.
      const canRenew = folder.renewal === null && folder.written.size <= MOST_WRITTEN
      const renewMs = Math.max(RENEW_MS, LOOK_MS - AHEAD * folder.tookMs)
      if (canRenew && !isYounger(folder.look, renewMs)) renew(folder, look)
      return folder.look.seen
    }
    const { renewal } = folder
    folder.renewal = null
    if (isYounger(renewal, LOOK_MS)) folder.look = renewal
    else {
      if (folder.written.size > MOST_WRITTEN) folder.written = new Set(folder.open.keys())
      folder.look = begin(folder, look)
    }
    return folder.look.seen
  }

  return {
    enter(name, key) {
      const folder = folders.get(name) ?? { open: new Map(), written: new Set(), look: null, renewal: null, tookMs: 0 }
      folders.set(name, folder)
      const isAgain = folder.written.has(key)
      folder.open.set(key, (folder.open.get(key) ?? 0) + 1)
      folder.written.add(key)
      return {
        async isKnown(needsName, look) {
          if (folder.open.size < 2 || isAgain) return false
          const seen = await seenIn(folder, look)
          return seen?.isThere === true && (!needsName || seen.isFree(key))
        },
        leave() {
          const others = (folder.open.get(key) ?? 1) - 1
          if (others > 0) folder.open.set(key, others)
          else folder.open.delete(key)
          if (folder.open.size === 0) folders.delete(name)
        },
      }
    },
    forget() {
      for (const folder of folders.values()) {
        folder.look = null
        folder.renewal = null
      }
    },
  }
}

function seenOf({ objects, prefixes, token }: S3Page): Seen {
  const keys = new Set(objects.map(({ key }) => key))
  const end = token === null ? null : endOf(objects.map(({ key }) => Buffer.from(key)))
  return {
    isThere: objects.length + prefixes.length > 0,
    isFree: (key) => !keys.has(key) && (end === null || Buffer.compare(Buffer.from(key), end) < 0),
  }
}

/** Up to where the beginning of a list shows all keys: nowhere, where the service does not keep their order. */
function endOf(keys: readonly Buffer[]): Buffer {
  const nowhere = Buffer.alloc(0)
  const isOrdered = keys.every((key, at) => at === 0 || Buffer.compare(keys[at - 1] ?? key, key) < 0)
  return (isOrdered ? keys.at(-1) : null) ?? nowhere
}
