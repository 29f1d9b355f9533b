import { abortable } from '../../lib/concurrency.ts'
import type { Call, Entry, EntryRef, Page } from '../driver.ts'
import { entryOf } from './entry.ts'
import { failed, hasStatus, STATUS } from './errors.ts'
import { isPart, pathOf, ROOT, refIn, stepsTo, targetOf } from './paths.ts'
import { type Listed, readFolder, type Server } from './requests.ts'

/** The contents of folders, read for one page and kept for the next ones. */
export type Folders = {
  /** Reads the folder. */
  read(server: Server, operation: string, folder: EntryRef): Promise<readonly Listed[]>
  /** As it was read a short time ago, if it was. */
  again(server: Server, operation: string, folder: EntryRef): Promise<readonly Listed[]>
}

const KEPT_MS = 60_000
/** Entries that are kept, in all folders together; a larger folder is kept alone. */
const MOST_KEPT = 50_000

type Kept = { readonly listed: readonly Listed[]; readonly until: number }

/** Of one account. */
export function createFolders(now: () => number = Date.now): Folders {
  const kept = new Map<EntryRef, Kept>()

  function keep(folder: EntryRef, listed: readonly Listed[]): void {
    kept.delete(folder)
    kept.set(folder, { listed, until: now() + KEPT_MS })
    let count = [...kept.values()].reduce((sum, one) => sum + one.listed.length, 0)
    for (const [ref, one] of kept) {
      if (ref === folder || (count <= MOST_KEPT && one.until > now())) continue
      kept.delete(ref)
      count -= one.listed.length
    }
  }

  async function read(server: Server, operation: string, folder: EntryRef): Promise<readonly Listed[]> {
    const listed = (await readFolder(server, operation, folder)).filter(isShown)
    keep(folder, listed)
    return listed
  }

  return {
    read,
    async again(server, operation, folder) {
      const known = kept.get(folder)
      return known && known.until > now() ? known.listed : read(server, operation, folder)
    },
  }
}

/** Names that are not UTF-8 cannot be sent back to the server as they are. */
function isShown({ name, attributes }: Listed): boolean {
  const isReal = name !== '.' && name !== '..' && name !== '' && !/[/\0\ufffd]/.test(name)
  return isReal && attributes.kind !== 'OTHER' && !isPart(name)
}

/** Driver.list: by name; the cursor is the last one. */
export async function list(
  server: Server,
  folders: Folders,
  { folder, cursor, pageSize }: { folder: EntryRef; cursor: string | null; pageSize: number },
): Promise<Page<Entry>> {
  const listed =
    cursor === null ? await folders.read(server, 'list', folder) : await folders.again(server, 'list', folder)
  const start = cursor === null ? 0 : indexAfter(listed, cursor)
  const page = listed.slice(start, start + pageSize)
  const isLast = start + pageSize >= listed.length
  const items = await Promise.all(page.map((one) => entryAt(server, folder, one)))
  return { items, cursor: isLast ? null : (page.at(-1)?.name ?? null) }
}

/** Where the names begin that sort after this one. */
function indexAfter(listed: readonly Listed[], name: string): number {
  let [low, high] = [0, listed.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((listed[middle]?.name ?? '') > name) high = middle
    else low = middle + 1
  }
  return low
}

function entryAt(server: Server, folder: EntryRef, { name, attributes }: Listed): Promise<Entry> {
  return withTarget(server, entryOf(refIn(folder, name), attributes))
}

/** The entry; of a link, with what it points to. */
export async function withTarget({ channel, base }: Server, entry: Entry): Promise<Entry> {
  const { ref, details } = entry
  if (details?.nativeKind !== 'SHORTCUT') return entry
  const path = pathOf(base, ref)
  const text = await channel
    .ask<string>((sftp, done) => sftp.readlink(path, done))
    .catch((error: unknown) => {
      if (hasStatus(error, STATUS.NO_SUCH_FILE, STATUS.PERMISSION_DENIED, STATUS.FAILURE)) return null
      throw error
    })
  return { ...entry, details: { ...details, target: text === null ? null : targetOf(base, ref, text) } }
}

/** Folders of one page of a walk: the page ends earlier where there are many that hold little. */
const MOST_FOLDERS = 200
/** Folders that are read while the ones before them are walked through. */
const AHEAD = 8

/** A folder of a walk, and the last name in it that has been reported. */
type Step = { readonly folder: EntryRef; after: string | null }

/**
 * Driver.listAll: from folder to folder, each before what it contains, by name. The cursor is the last entry, which leads on also when
 * it is gone by then. Folders that may not be read, or are gone, are passed over; where the account's own folder cannot be read, the
 * walk fails.
 */
export async function listAll(
  server: Server,
  folders: Folders,
  call: Call,
  { cursor, pageSize }: { cursor: string | null; pageSize: number },
): Promise<Page<Entry>> {
  const steps = cursor === null ? [{ folder: ROOT, after: null }] : stepsFrom(cursor)
  const ahead = createReadAhead(server, folders)
  const items: Entry[] = []
  for (let count = 0; ; ) {
    const step = steps.at(-1)
    if (!step) return { items, cursor: null }
    const last = items.at(-1)
    if (last && (items.length >= pageSize || count >= MOST_FOLDERS)) return { items, cursor: cursorAt(last) }
    count += 1
    const listed = await abortable(call.signal, ahead.contents(step))
    const found = listed === null ? null : await walkOn(server, step, listed, pageSize, items)
    if (found) steps.push({ folder: found, after: null })
    else if (listed === null || items.length < pageSize) steps.pop()
  }
}

/** Reports entries of the folder until the page is full, or one is a folder. @returns that folder, to be walked next */
async function walkOn(
  server: Server,
  step: Step,
  listed: readonly Listed[],
  pageSize: number,
  items: Entry[],
): Promise<EntryRef | null> {
  const start = step.after === null ? 0 : indexAfter(listed, step.after)
  for (let at = start; at < listed.length && items.length < pageSize; at += 1) {
    const one = listed[at]
    if (!one) return null
    step.after = one.name
    const entry = await entryAt(server, step.folder, one)
    items.push(entry)
    if (entry.kind === 'folder') return entry.ref
  }
  return null
}

function createReadAhead(server: Server, folders: Folders) {
  const reading = new Map<EntryRef, Promise<readonly Listed[] | null>>()

  function begin(folder: EntryRef, isKnown: boolean): Promise<readonly Listed[] | null> {
    const work = isKnown ? folders.again(server, 'listAll', folder) : folders.read(server, 'listAll', folder)
    const contents = work.catch((error: unknown) => passedOver(folder, error))
    contents.catch(() => undefined)
    reading.set(folder, contents)
    return contents
  }

  return {
    /** Null where the folder is passed over. */
    async contents({ folder, after }: Step): Promise<readonly Listed[] | null> {
      const listed = await (reading.get(folder) ?? begin(folder, after !== null))
      const start = after === null || listed === null ? 0 : indexAfter(listed, after)
      const next = listed?.slice(start).filter(({ attributes }) => attributes.kind === 'FOLDER')
      for (const { name } of next?.slice(0, AHEAD) ?? []) {
        const ref = refIn(folder, name)
        if (!reading.has(ref)) void begin(ref, false)
      }
      return listed
    },
  }
}

/** Nothing below a folder that is passed over counts as gone: the account is asked about each entry that a walk did not report. */
function passedOver(folder: EntryRef, error: unknown): null {
  if (!hasStatus(error, STATUS.NO_SUCH_FILE, STATUS.PERMISSION_DENIED)) throw error
  if (folder !== ROOT) return null
  throw failed('listAll', 'Transient', 'The folder of the account cannot be read now.', error)
}

/** The folder or file that was reported last. */
function cursorAt({ ref, kind }: Entry): string {
  return `${kind}:${ref}`
}

/** @throws CursorReset for what is no cursor of this driver */
function stepsFrom(cursor: string): Step[] {
  const [, kind, ref] = /^(file|folder):(.+)$/s.exec(cursor) ?? []
  if (ref === undefined) throw failed('listAll', 'CursorReset', 'This is not a place in a listing.')
  const above = stepsTo(ref).map(({ folder, name }): Step => ({ folder, after: name }))
  return kind === 'folder' ? [...above, { folder: ref as EntryRef, after: null }] : above
}
