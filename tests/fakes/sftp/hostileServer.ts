import type { AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import type { Driver } from '../../../server/providers/driver.ts'
import { credentialsOf, fingerprintOf, loginOf } from '../../../server/providers/sftp/login.ts'
import { sftpModule } from '../../../server/providers/sftp/module.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { newKeyPair } from './sshd.ts'

const { Server, utils } = ssh2
const { STATUS_CODE } = utils.sftp
/** The most that the driver takes for a folder. */
const FOLDER_ENTRIES = 5_000
const FOLDER_MODE = 0o040755
const FILE_MODE = 0o100644

/** How the server answers: what it does not say, it answers as an empty folder would. */
export type Answers = {
  /** Names per answer of a listing, by the number of the answer; null: the end. */
  readonly names?: (answer: number) => readonly string[] | null
  /** Of every file. */
  readonly size?: number
  /** Seconds since 1970: by the number of the answer about the open file; its path has 0. */
  readonly openModifiedAt?: (answer: number) => number
  /** To a request for so many bytes. */
  readonly read?: (length: number) => Buffer
}

export type HostileServer = { readonly driver: Driver; readonly answers: number; close(): Promise<void> }

/** A server with SSH that answers what no real one would. */
export async function startHostileServer({
  names = () => null,
  size = 0,
  openModifiedAt = () => 0,
  read,
}: Answers): Promise<HostileServer> {
  const key = newKeyPair().private
  let answers = 0
  const clients = new Set<ssh2.Connection>()
  const server = new Server({ hostKeys: [key] }, (client) => {
    clients.add(client)
    client.on('error', () => undefined)
    client.on('authentication', (login) => login.accept())
    client.on('ready', () => client.on('session', (accept) => accept().on('sftp', (open) => answer(open()))))
  })

  function answer(sftp: ssh2.SFTPWrapper): void {
    const attributesOf = (path: string, mtime = 0) => ({
      mode: path.endsWith('file') ? FILE_MODE : FOLDER_MODE,
      size,
      uid: 0,
      gid: 0,
      atime: 0,
      mtime,
    })
    let looks = 0
    const handle = Buffer.from('h')
    let opened = ''
    sftp.on('error', () => undefined)
    sftp.on('STAT', (id, path) => sftp.attrs(id, attributesOf(path)))
    sftp.on('LSTAT', (id, path) => sftp.attrs(id, attributesOf(path)))
    sftp.on('FSTAT', (id) => {
      sftp.attrs(id, attributesOf(opened, openModifiedAt(looks)))
      looks += 1
    })
    sftp.on('OPENDIR', (id) => sftp.handle(id, handle))
    sftp.on('OPEN', (id, path) => {
      opened = path
      sftp.handle(id, handle)
    })
    sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK))
    sftp.on('READ', (id, _handle, _offset, length) => {
      if (read) sftp.data(id, read(length))
      else sftp.status(id, STATUS_CODE.EOF)
    })
    sftp.on('READDIR', (id) => {
      const list = names(answers)
      answers += 1
      if (list === null) return sftp.status(id, STATUS_CODE.EOF)
      sftp.name(
        id,
        list.map((filename) => ({ filename, longname: filename, attrs: attributesOf('file') })),
      )
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const parsed = utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  const login = loginOf({
    host: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
    user: 'maren',
    password: 'any',
    fingerprint: fingerprintOf(parsed.getPublicSSH()),
    folder: '/',
  })
  return {
    driver: sftpModule({ guard: createHostGuard(true), limits: { folderEntries: FOLDER_ENTRIES } }).open(
      credentialsOf(login),
    ),
    get answers() {
      return answers
    },
    close() {
      for (const client of clients) client.end()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
