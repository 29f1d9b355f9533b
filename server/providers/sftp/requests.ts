import type { FileEntryWithStats, Stats } from 'ssh2'
import type { EntryRef } from '../driver.ts'
import { type Channel, nothingWhenUnsupported } from './channel.ts'
import { type Attributes, attributesOf } from './entry.ts'
import { failed, hasStatus, STATUS } from './errors.ts'
import { pathOf, ROOT } from './paths.ts'

/** The account's folder on an open connection. */
export type Server = {
  readonly channel: Channel
  readonly base: string
  /** Of a folder; more than any real one has. A server may send names for ever. */
  readonly mostNames: number
}

/** The attributes of a ref, without following links. @throws NotFound, also for pipes and the like */
export async function lookAt(server: Server, operation: string, ref: EntryRef): Promise<Attributes> {
  const found = await find(server, operation, ref)
  if (found !== null && found.kind !== 'OTHER') return found
  throw failed(operation, 'NotFound', 'It does not exist on the server.')
}

/** As `lookAt`; null where nothing is. @throws Transient while the account's folder itself is missing */
export async function find(server: Server, operation: string, ref: EntryRef): Promise<Attributes | null> {
  const path = pathOf(server.base, ref)
  // The folder of the account may be a link.
  const asking = server.channel.ask<Stats>((sftp, done) =>
    ref === ROOT ? sftp.stat(path, done) : sftp.lstat(path, done),
  )
  try {
    return attributesOf(await asking)
  } catch (error) {
    if (!hasStatus(error, STATUS.NO_SUCH_FILE)) throw error
    await requireBase(server, operation)
    return null
  }
}

/**
 * Where the account's folder is missing, nothing can be said about what is in it: a disk may not be mounted, or not be readable now.
 * @throws Transient
 */
export async function requireBase({ channel, base }: Server, operation: string): Promise<void> {
  try {
    await channel.ask<Stats>((sftp, done) => sftp.stat(base, done))
  } catch (error) {
    if (!hasStatus(error, STATUS.NO_SUCH_FILE)) throw error
    throw failed(operation, 'Transient', 'The folder of the account is not on the server now.', error)
  }
}

/** An answer without names is none that servers give: it counts as many. */
const NAMES_OF_EMPTY = 1_000

export type Listed = { readonly name: string; readonly attributes: Attributes }

/**
 * Everything in a folder, sorted by name, without what the driver does not show. @throws NotFound, Forbidden, Permanent where there
 * is no end
 */
export async function readFolder(server: Server, operation: string, folder: EntryRef): Promise<Listed[]> {
  const found: Listed[] = []
  await eachName(server, operation, folder, (listed) => void found.push(listed))
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Calls `visit` for everything in a folder, also for what the driver does not show. @throws as readFolder */
export async function eachName(
  server: Server,
  operation: string,
  folder: EntryRef,
  visit: (listed: Listed) => void,
): Promise<void> {
  const { channel, base, mostNames } = server
  const handle = await openFolder(server, operation, pathOf(base, folder))
  try {
    for (let count = 0; ; ) {
      const batch = await channel
        .ask<FileEntryWithStats[]>((sftp, done) => sftp.readdir(handle, done))
        .catch((error: unknown) => {
          if (hasStatus(error, STATUS.EOF)) return null
          throw error
        })
      if (batch === null) return
      count += batch.length > 0 ? weightOf(batch) : NAMES_OF_EMPTY
      if (count > mostNames) throw failed(operation, 'Permanent', `A folder has more than ${mostNames} entries.`)
      for (const { filename, longname, attrs } of batch) {
        visit({ name: filename, attributes: attributesOf(attrs, longname) })
      }
    }
  } finally {
    await closeHandle(channel, handle)
  }
}

/** Longer ones than names of files can be count as several: their length is limited only by that of an answer. */
const LONGEST_NAME = 256

function weightOf(batch: readonly FileEntryWithStats[]): number {
  return batch.reduce((sum, { filename }) => sum + Math.max(1, Math.ceil(filename.length / LONGEST_NAME)), 0)
}

async function openFolder(server: Server, operation: string, path: string): Promise<Buffer> {
  try {
    return await server.channel.ask<Buffer>((sftp, done) => sftp.opendir(path, done))
  } catch (error) {
    if (hasStatus(error, STATUS.NO_SUCH_FILE)) await requireBase(server, operation)
    throw error
  }
}

/** The server frees handles of a connection that is lost. */
export async function closeHandle(channel: Channel, handle: Buffer): Promise<void> {
  await channel.ask<void>((sftp, done) => sftp.close(handle, done)).catch(() => undefined)
}

/**
 * Renames without replacing anything. Not by posix-rename@openssh.com, which replaces: only where the server cannot rename in the
 * plain way, and the name is free. @throws NotFound, Conflict
 */
export async function renameTo(server: Server, operation: string, from: EntryRef, to: EntryRef): Promise<void> {
  const { channel, base } = server
  const paths = [pathOf(base, from), pathOf(base, to)] as const
  try {
    await channel.ask<void>((sftp, done) => sftp.rename(...paths, done))
  } catch (error) {
    if (!hasStatus(error, STATUS.FAILURE, STATUS.UNSUPPORTED)) throw error
    if ((await find(server, operation, to)) !== null) throw failed(operation, 'Conflict', 'The name is taken.', error)
    await lookAt(server, operation, from)
    await channel
      .ask<void>((sftp, done) => sftp.ext_openssh_rename(...paths, done))
      .catch((second: unknown) => {
        throw hasStatus(second, STATUS.UNSUPPORTED) ? error : second
      })
  }
}

/** Deletes a file or a link, if it is there. */
export async function unlink({ channel, base }: Server, ref: EntryRef): Promise<void> {
  const path = pathOf(base, ref)
  await channel
    .ask<void>((sftp, done) => sftp.unlink(path, done))
    .catch((error: unknown) => {
      if (!hasStatus(error, STATUS.NO_SUCH_FILE)) throw error
    })
}

/** Of statvfs(3), in blocks of `f_frsize` bytes. */
type FileSystem = {
  readonly f_frsize: number
  readonly f_blocks: number
  readonly f_bfree: number
  /** Free for users who are not root. */
  readonly f_bavail: number
}

/** Numbers of the file system that contains the account's folder; null where the server does not tell them. */
export function fileSystem({ channel, base }: Server): Promise<FileSystem | null> {
  return channel.ask<FileSystem>((sftp, done) => sftp.ext_openssh_statvfs(base, done)).catch(nothingWhenUnsupported)
}

/** Less is taken as full: servers report a full disk like any other failure. */
const ROOM_BYTES = 1024 ** 2

/** The error to throw for a failed request of a write. */
export async function writeError(server: Server, operation: string, error: unknown): Promise<unknown> {
  if (!hasStatus(error, STATUS.FAILURE)) return error
  const numbers = await fileSystem(server).catch(() => null)
  if (numbers === null || numbers.f_bavail * numbers.f_frsize >= ROOM_BYTES) return error
  return failed(operation, 'QuotaExceeded', 'The disk of the server is full.', error)
}
