import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { fingerprintOf } from '../../../server/providers/sftp/login.ts'

const { Client, utils } = ssh2
const UNPACKED = resolve('.cache/openssh')
const FOLDERS = [UNPACKED, '/']
/** The account that the server has; its password as crypt(3) stores it. */
export const USER = 'tester'
export const PASSWORD = 'correct horse battery'
const PASSWORD_HASH =
  '$6$skypool$6K1zTQhAFEyUzT3AyvmEzo553xRC6YKjHbqE0XE7FHQyUz8t4vuEf9RceaDexy1YlTdcHTPa7CxopcPFPMjdD/'
const UID = 33_334
const DISK_BYTES = 48 * 1024 ** 2

/** A real OpenSSH server on loopback, with one user. */
export type Sshd = {
  readonly port: number
  /** Of the host key that it has now. */
  readonly fingerprint: string
  /** The user's home folder: a disk of its own, which can be full. */
  readonly home: string
  /** For the faults of its sftp-server: see faultySftpServer.mjs. */
  readonly faults: string
  /** The server gets another host key. Open connections stay. */
  changeHostKey(): Promise<void>
  /** The server accepts a new key, until `removeKey`. @returns the private key */
  addKey(passphrase?: string): string
  removeKey(privateKey: string): void
  /** Runs a command as the user. @throws Error with its output unless it succeeds */
  run(command: string): Promise<string>
  close(): Promise<void>
}

/** Why no server can be started here; null where one can. */
export function whyNoSshd(): string | null {
  if (process.getuid?.() !== 0 || process.platform !== 'linux')
    return 'Only root can run an SSH server with its own users.'
  if (!programs()) return 'There is no OpenSSH server; `npm test` gets it on Debian.'
  const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/run']).status === 0
  return canMount ? null : 'This container may not mount the files of an SSH server.'
}

/** The library drops a first byte of zero, which makes one key of 256 unreadable: those are not used. */
export function newKeyPair(passphrase?: string): { private: string; public: string } {
  const locked = passphrase === undefined ? undefined : { passphrase, cipher: 'aes256-ctr', rounds: 4 }
  const pair = utils.generateKeyPairSync('ed25519', locked)
  return utils.parseKey(pair.private, passphrase) instanceof Error ? newKeyPair(passphrase) : pair
}

function programs(): { folder: string; sshd: string; sftpServer: string } | null {
  for (const folder of FOLDERS) {
    const [sshd, sftpServer] = [join(folder, 'usr/sbin/sshd'), join(folder, 'usr/lib/openssh/sftp-server')]
    if (existsSync(sshd) && existsSync(sftpServer)) return { folder, sshd, sftpServer }
  }
  return null
}

export type SshdOptions = {
  readonly diskBytes?: number
  /** False: without the program that makes faults, which copies every byte. */
  readonly hasFaults?: boolean
}

/** `tries`: another program can take the port before the server does. */
export async function startSshd(options: SshdOptions = {}, tries = 5): Promise<Sshd> {
  const found = programs()
  if (!found) throw new Error('There is no OpenSSH server.')
  const dir = mkdtempSync(join(tmpdir(), 'skypool-sshd-'))
  chmodSync(dir, 0o755)
  const port = await freePort()
  let hostKey = newKeyPair().private
  const keys = new Map<string, string>()
  const saveKeys = () => writeFileSync(join(dir, 'authorized_keys'), [...keys.values()].join('\n'))
  prepare(dir, { port, hostKey, sftpServer: found.sftpServer, hasFaults: options.hasFaults ?? true })
  saveKeys()
  const child = start(dir, found, options.diskBytes ?? DISK_BYTES)
  if (!(await answers(port, child, fingerprintOf(publicKeyOf(hostKey))))) {
    const log = readFileSync(join(dir, 'log'), 'utf8')
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    if (tries > 1) return startSshd(options, tries - 1)
    throw new Error(`The SSH server does not start: ${log}`)
  }

  const addKey = (passphrase?: string): string => {
    const { private: key, public: line } = newKeyPair(passphrase)
    keys.set(key, line)
    saveKeys()
    return key
  }
  const admin = await signIn(port, addKey())
  return {
    port,
    get fingerprint() {
      return fingerprintOf(publicKeyOf(hostKey))
    },
    async changeHostKey() {
      hostKey = newKeyPair().private
      writeFileSync(join(dir, 'host_key'), hostKey, { mode: 0o600 })
      if (child.pid !== undefined) process.kill(child.pid, 'SIGHUP')
      const wanted = fingerprintOf(publicKeyOf(hostKey))
      await answers(port, child, wanted)
    },
    home: join(dir, 'home'),
    faults: join(dir, 'faults'),
    addKey,
    removeKey(key) {
      keys.delete(key)
      saveKeys()
    },
    run: (command) => runOn(admin, command),
    async close() {
      admin.destroy()
      await end(child)
      // Processes of connections may write for a moment more.
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  process.kill(-child.pid, 'SIGTERM')
  await ended
}

export function publicKeyOf(key: string): Buffer {
  const parsed = utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  return parsed.getPublicSSH()
}

type Setup = {
  readonly port: number
  readonly hostKey: string
  readonly sftpServer: string
  readonly hasFaults: boolean
}

function prepare(dir: string, { port, hostKey, sftpServer, hasFaults }: Setup): void {
  for (const name of ['home', 'faults']) mkdirSync(join(dir, name))
  chmodSync(join(dir, 'faults'), 0o777)
  writeFileSync(join(dir, 'host_key'), hostKey, { mode: 0o600 })
  // The user may not be allowed to read where the tests are.
  const wrapper = join(dir, 'faultySftpServer.mjs')
  copyFileSync('tests/fakes/sftp/faultySftpServer.mjs', wrapper)
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('sshd:'))
  const user = `${USER}:x:${UID}:65534::${dir}/home:/bin/sh`
  writeFileSync(
    join(dir, 'passwd'),
    [...users, `sshd:x:${UID - 1}:65534::/run/sshd:/usr/sbin/nologin`, user, ''].join('\n'),
  )
  writeFileSync(join(dir, 'shadow'), `root:*:19000:0:99999:7:::\n${USER}:${PASSWORD_HASH}:19000:0:99999:7:::\n`, {
    mode: 0o600,
  })
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${dir}/host_key`,
    `AuthorizedKeysFile ${dir}/authorized_keys`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication yes',
    'MaxStartups 100',
    'LogLevel ERROR',
    `Subsystem sftp ${hasFaults ? `${process.execPath} ${wrapper} ${dir}/faults ` : ''}${sftpServer} -d ${dir}/home`,
  ]
  writeFileSync(join(dir, 'sshd_config'), `${settings.join('\n')}\n`)
}

/** In a mount namespace of its own: it has users and a disk that this machine does not have. */
function start(dir: string, { folder, sshd }: { folder: string; sshd: string }, diskBytes: number): ChildProcess {
  const script = [
    `mount --bind ${dir}/passwd /etc/passwd`,
    `mount --bind ${dir}/shadow /etc/shadow`,
    'mount -t tmpfs tmpfs /run',
    'mkdir /run/sshd',
    `mount -t tmpfs -o size=${diskBytes},uid=${UID},mode=755 tmpfs ${dir}/home`,
    `exec ${sshd} -D -e -f ${dir}/sshd_config`,
  ]
  const libraries = ['usr/lib', 'lib'].map((path) =>
    join(folder, path, `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
  )
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') }
  const command = `{ ${script.join(' && ')}; } > ${dir}/log 2>&1`
  return spawn('unshare', ['-m', 'sh', '-c', command], { env, detached: true, stdio: 'ignore' })
}

async function freePort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as AddressInfo
  await new Promise((done) => listener.close(done))
  return port
}

/** Waits until the server shows its host key. False when it has ended. */
async function answers(port: number, child: ChildProcess, fingerprint: string): Promise<boolean> {
  while ((await fingerprintAt(port)) !== fingerprint) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    await sleep(20)
  }
  return true
}

function signIn(port: number, privateKey: string): Promise<ssh2.Client> {
  const client = new Client()
  return new Promise((done, fail) => {
    client.once('error', fail).once('ready', () => done(client))
    client.connect({ host: '127.0.0.1', port, username: USER, privateKey })
  })
}

/** Of the host key that the server shows now; null while it does not answer. */
function fingerprintAt(port: number): Promise<string | null> {
  const client = new Client()
  return new Promise<string | null>((done) => {
    client.once('error', () => done(null)).once('close', () => done(null))
    const hostVerifier = (key: Buffer): boolean => {
      done(fingerprintOf(key))
      return false
    }
    client.connect({ host: '127.0.0.1', port, username: USER, hostVerifier })
  }).finally(() => client.destroy())
}

function runOn(client: ssh2.Client, command: string): Promise<string> {
  return new Promise<string>((done, fail) => {
    client.exec(command, (error, stream) => {
      if (error) return fail(error)
      let output = ''
      const collect = (chunk: Buffer): void => {
        output += chunk.toString()
      }
      stream.on('data', collect)
      stream.stderr.on('data', collect)
      stream.on('close', (code: number) => (code === 0 ? done(output) : fail(new Error(`${command}: ${output}`))))
    })
  })
}
