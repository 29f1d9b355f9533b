import type { Stats } from 'ssh2'
import type { Entry, EntryRef, ProviderQuota } from '../driver.ts'
import { entryOf } from './entry.ts'
import { failed, hasStatus, STATUS } from './errors.ts'
import { withTarget } from './listing.ts'
import { checkName, nameOf, parentOf, pathOf, ROOT, refIn } from './paths.ts'
import {
  eachName,
  fileSystem,
  find,
  type Listed,
  lookAt,
  renameTo,
  requireBase,
  type Server,
  unlink,
} from './requests.ts'

export async function stat(server: Server, ref: EntryRef): Promise<Entry> {
  return withTarget(server, entryOf(ref, await lookAt(server, 'stat', ref)))
}

/** Of the whole file system, which others may use too. */
export async function quota(server: Server): Promise<ProviderQuota> {
  const numbers = await fileSystem(server)
  if (numbers === null || numbers.f_blocks === 0) return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
  const { f_frsize: block, f_blocks: all, f_bfree: free, f_bavail: available } = numbers
  const usedBytes = (all - free) * block
  // Like df: what is reserved for root is neither used nor free.
  return { state: 'KNOWN', usedBytes, totalBytes: usedBytes + available * block }
}

/** Driver.delete: a folder with everything in it. Links are deleted, not what they point to. */
export async function remove(server: Server, signal: AbortSignal, ref: EntryRef): Promise<void> {
  if (ref === ROOT) throw failed('delete', 'Permanent', 'The folder of the account is not deleted.')
  const found = await find(server, 'delete', ref)
  if (found?.kind === 'FOLDER') await removeFolder(server, signal, ref)
  else if (found !== null) await unlink(server, ref)
}

/** The deepest folders first, without recursion: a tree can be deep. */
async function removeFolder(server: Server, signal: AbortSignal, top: EntryRef): Promise<void> {
  const folders = [top]
  while (folders.length > 0) {
    signal.throwIfAborted()
    const folder = folders.at(-1) as EntryRef
    const inner = await removeFiles(server, signal, folder)
    if (inner.length > 0) folders.push(...inner)
    else {
      await removeEmpty(server, folder)
      folders.pop()
    }
  }
}

/** Deletes everything in a folder except the folders in it, and returns those. */
async function removeFiles(server: Server, signal: AbortSignal, folder: EntryRef): Promise<EntryRef[]> {
  const [files, folders]: [EntryRef[], EntryRef[]] = [[], []]
  const visit = ({ name, attributes }: Listed): void => {
    if (name === '.' || name === '..') return
    const into = attributes.kind === 'FOLDER' ? folders : files
    into.push(refIn(folder, name))
  }
  await eachName(server, 'delete', folder, visit).catch((error: unknown) => {
    if (!hasStatus(error, STATUS.NO_SUCH_FILE)) throw error
  })
  for (const file of files) {
    signal.throwIfAborted()
    await unlink(server, file)
  }
  return folders
}

async function removeEmpty({ channel, base }: Server, folder: EntryRef): Promise<void> {
  const path = pathOf(base, folder)
  await channel
    .ask<void>((sftp, done) => sftp.rmdir(path, done))
    .catch((error: unknown) => {
      if (!hasStatus(error, STATUS.NO_SUCH_FILE)) throw error
    })
}

/** @throws Conflict when a file has the name */
export async function ensureFolder(server: Server, parent: EntryRef, name: string): Promise<EntryRef> {
  checkName('ensureFolder', parent, name)
  const ref = refIn(parent, name)
  if (await isFolder(server, ref)) return ref
  const path = pathOf(server.base, ref)
  try {
    await server.channel.ask<void>((sftp, done) => sftp.mkdir(path, done))
  } catch (error) {
    if (hasStatus(error, STATUS.NO_SUCH_FILE)) await requireBase(server, 'ensureFolder')
    // Another call may have created it at the same time.
    if (!hasStatus(error, STATUS.FAILURE) || !(await isFolder(server, ref))) throw error
  }
  return ref
}

/** A link to a folder is one too. @throws Conflict where the name belongs to something else */
async function isFolder(server: Server, ref: EntryRef): Promise<boolean> {
  const found = await find(server, 'ensureFolder', ref)
  if (found === null || found.kind === 'FOLDER') return found !== null
  const path = pathOf(server.base, ref)
  const behind =
    found.kind === 'LINK'
      ? await server.channel.ask<Stats>((sftp, done) => sftp.stat(path, done)).catch(() => null)
      : null
  if (behind?.isDirectory()) return true
  throw failed('ensureFolder', 'Conflict', 'A file is there.')
}

/** Driver.move. The ref of what is moved, and of everything below it, becomes another one. */
export async function move(
  server: Server,
  ref: EntryRef,
  { parent = parentOf(ref), name = nameOf(ref) }: { parent?: EntryRef; name?: string },
): Promise<Entry> {
  if (ref === ROOT) throw failed('move', 'Permanent', 'The folder of the account is not moved.')
  checkName('move', parent, name)
  const target = refIn(parent, name)
  await lookAt(server, 'move', ref)
  if (target !== ref) {
    // Some servers replace what is there, although they should not.
    if ((await find(server, 'move', target)) !== null) throw failed('move', 'Conflict', 'The name is taken.')
    await renameTo(server, 'move', ref, target)
  }
  return stat(server, target)
}
