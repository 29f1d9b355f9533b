import type { Stats } from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
} from 'node:fs/promises'
import { join, normalize } from 'node:path'
import ssh2 from 'ssh2'
import { fingerprintOf } from '../../../server/providers/sftp/login.ts'
import { newKeyPair, publicKeyOf } from '../../fakes/sftp/sshd.ts'

const { Server, utils } = ssh2
const { OPEN_MODE, STATUS_CODE } = utils.sftp

export type Login = { readonly user: string; readonly password: string }
/** `fingerprint`: of its host key, as `ssh-keygen -l` shows it. */
export type SftpServer = { readonly fingerprint: string; close(): Promise<void> }

/** What OPEN asks for, as a flag of Node. The driver writes new files, and continues those that are there. */
function flagOf(flags: number): string {
  if ((flags & OPEN_MODE.WRITE) === 0) return 'r'
  return (flags & OPEN_MODE.TRUNC) !== 0 ? 'w+' : 'r+'
}

/** A folder by SFTP on loopback, for one login. Without extensions: it reports no free space. */
export async function startSftpServer(folder: string, login: Login, port: number): Promise<SftpServer> {
  await mkdir(folder, { recursive: true })
  const key = newKeyPair().private
  const clients = new Set<ssh2.Connection>()
  const server = new Server({ hostKeys: [key] }, (client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('error', () => undefined)
    client.on('authentication', (attempt) => {
      const isRight =
        attempt.method === 'password' && attempt.username === login.user && attempt.password === login.password
      if (isRight) attempt.accept()
      else attempt.reject(['password'])
    })
    client.on('ready', () => client.on('session', (accept) => accept().on('sftp', (begin) => serve(begin(), folder))))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    fingerprint: fingerprintOf(publicKeyOf(key)),
    async close() {
      for (const client of clients) client.end()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Opened = { readonly file: FileHandle } | { names: string[] | null; readonly path: string }

function serve(sftp: ssh2.SFTPWrapper, folder: string): void {
  const opened = new Map<number, Opened>()
  let last = 0
  const at = (path: string): string => join(folder, normalize(`/${path}`))
  const keep = (id: number, value: Opened): void => {
    last += 1
    opened.set(last, value)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(last)
    sftp.handle(id, handle)
  }
  const numberOf = (handle: Buffer): number => (handle.length === 4 ? handle.readUInt32BE() : 0)
  const fileOf = (handle: Buffer): FileHandle => {
    const found = opened.get(numberOf(handle))
    if (!found || !('file' in found)) throw new Error('There is no such handle.')
    return found.file
  }
  /** Answers with the status of an error. */
  const doing = (id: number, work: () => Promise<void>): void => {
    work().catch((error: unknown) => sftp.status(id, statusOf(error)))
  }
  const done = (id: number, work: () => Promise<unknown>): void =>
    doing(id, async () => {
      await work()
      sftp.status(id, STATUS_CODE.OK)
    })

  sftp.on('error', () => undefined)
  sftp.on('REALPATH', (id, path) => {
    const filename = normalize(`/${path}`).replace(/(?<=.)\/$/, '')
    sftp.name(id, [{ filename, longname: filename, attrs: attributes() }])
  })
  sftp.on('STAT', (id, path) => doing(id, async () => sftp.attrs(id, attributes(await stat(at(path))))))
  sftp.on('LSTAT', (id, path) => doing(id, async () => sftp.attrs(id, attributes(await lstat(at(path))))))
  sftp.on('FSTAT', (id, handle) => doing(id, async () => sftp.attrs(id, attributes(await fileOf(handle).stat()))))
  sftp.on('READLINK', (id, path) =>
    doing(id, async () => {
      const filename = await readlink(at(path))
      sftp.name(id, [{ filename, longname: filename, attrs: attributes() }])
    }),
  )
  sftp.on('OPEN', (id, path, flags) => doing(id, async () => keep(id, { file: await openFile(at(path), flags) })))
  sftp.on('READ', (id, handle, offset, length) =>
    doing(id, async () => {
      const { bytesRead, buffer } = await fileOf(handle).read(Buffer.alloc(length), 0, length, offset)
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
    }),
  )
  sftp.on('WRITE', (id, handle, offset, data) => done(id, () => fileOf(handle).write(data, 0, data.length, offset)))
  sftp.on('CLOSE', (id, handle) =>
    done(id, async () => {
      const found = opened.get(numberOf(handle))
      opened.delete(numberOf(handle))
      if (found && 'file' in found) await found.file.close()
    }),
  )
  sftp.on('OPENDIR', (id, path) => doing(id, async () => keep(id, { names: await readdir(at(path)), path: at(path) })))
  sftp.on('READDIR', (id, handle) =>
    doing(id, async () => {
      const found = opened.get(numberOf(handle))
      const list = found && 'names' in found ? found.names : null
      if (!found || !('names' in found) || list === null || list.length === 0) return sftp.status(id, STATUS_CODE.EOF)
      found.names = null
      const rows = list.map(async (filename) => {
        const attrs = attributes(await lstat(join(found.path, filename)))
        return { filename, longname: filename, attrs }
      })
      sftp.name(id, await Promise.all(rows))
    }),
  )
  sftp.on('REMOVE', (id, path) => done(id, () => rm(at(path))))
  sftp.on('MKDIR', (id, path) => done(id, () => mkdir(at(path))))
  sftp.on('RMDIR', (id, path) => done(id, () => rmdir(at(path))))
  sftp.on('RENAME', (id, from, to) =>
    done(id, async () => {
      if (await stat(at(to)).catch(() => null)) throw new Error('Something with this name is there.')
      await rename(at(from), at(to))
    }),
  )
  sftp.on('SETSTAT', (id, path, { atime, mtime }) =>
    done(id, () => setTimes((...times) => utimes(at(path), ...times), atime, mtime)),
  )
  sftp.on('FSETSTAT', (id, handle, { atime, mtime }) =>
    done(id, () => setTimes((...times) => fileOf(handle).utimes(...times), atime, mtime)),
  )
}

async function openFile(path: string, flags: number): Promise<FileHandle> {
  return open(path, (flags & OPEN_MODE.EXCL) !== 0 ? 'wx+' : flagOf(flags))
}

async function setTimes(
  set: (atime: number, mtime: number) => Promise<void>,
  atime: number | undefined,
  mtime: number | undefined,
): Promise<void> {
  if (mtime !== undefined) await set(atime ?? mtime, mtime)
}

function attributes(stats?: Stats): ssh2.Attributes {
  const seconds = (ms: number): number => Math.floor(ms / 1000)
  const { mode = 0o040755, size = 0, uid = 0, gid = 0, atimeMs = 0, mtimeMs = 0 } = stats ?? {}
  return { mode, size, uid, gid, atime: seconds(atimeMs), mtime: seconds(mtimeMs) }
}

function statusOf(error: unknown): number {
  const code = (error as { code?: unknown } | null)?.code
  if (code === 'ENOENT') return STATUS_CODE.NO_SUCH_FILE
  return code === 'EACCES' || code === 'EPERM' ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.FAILURE
}
