import type { Socket } from 'node:net'
import type { Client, ConnectConfig, SFTPWrapper } from 'ssh2'
import type { HostGuard } from '../shared/hostGuard.ts'
import { type Channel, createChannel } from './channel.ts'
import { failed, HostKeyError } from './errors.ts'
import { fingerprintOf, type Login } from './login.ts'
import { connectSshSocket, type SshSocket } from './socket.ts'

/** To reach the server, and then to sign in. */
const CONNECT_MS = 10_000
const SIGN_IN_MS = 20_000
/** A dead connection is noticed within a minute. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 }
/** Those with hardware support first; others need half as much time again. */
const CIPHERS = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com',
  'aes256-ctr',
  'aes128-ctr',
] as const

/** With these ssh2 keeps nothing of what it has been given: it decrypts into new memory. */
const COPYING: ReadonlySet<string> = new Set(['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'])

/** Loaded when it is needed first: few servers do. Its default export: Node finds only some of the names of CommonJS modules. */
export async function loadSsh2(): Promise<typeof import('ssh2')> {
  return (await import('ssh2')).default
}

/**
 * Connects and signs in. The host key is checked before anything about the user is sent.
 * @throws HostKeyError; the errors of ssh2, node:net and the guard
 */
export async function connect(guard: Pick<HostGuard, 'resolve'>, login: Login): Promise<Channel> {
  const { Client: SshClient } = await loadSsh2()
  const reached = await reach(guard, login)
  const client = new SshClient()
  client.on('handshake', ({ sc }) => {
    if (COPYING.has(sc.cipher)) client.once('ready', reached.reuseMemory)
  })
  try {
    const sftp = await signIn(client, reached.socket, login)
    return openChannel(client, sftp)
  } catch (error) {
    client.destroy()
    reached.socket.destroy()
    throw error
  }
}

function openChannel(client: Client, sftp: SFTPWrapper): Channel {
  const channel = createChannel(sftp, () => client.destroy())
  client.on('error', channel.close)
  client.on('end', channel.close)
  client.on('close', channel.close)
  return channel
}

/** Tries the addresses of the host in order. */
async function reach(guard: Pick<HostGuard, 'resolve'>, { host, port }: Login): Promise<SshSocket> {
  let failure: unknown = null
  for (const { address } of await guard.resolve(host)) {
    try {
      return await openSocket(address, port)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function openSocket(host: string, port: number): Promise<SshSocket> {
  return new Promise((resolve, reject) => {
    const connecting = connectSshSocket(host, port, CONNECT_MS)
    const { socket } = connecting
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('No answer.'), { code: 'ETIMEDOUT' })))
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.removeListener('error', reject)
      resolve(connecting)
    })
  })
}

function signIn(client: Client, sock: Socket, login: Login): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    let refused: HostKeyError | null = null
    client.on('error', (error) => reject(refused ?? error))
    client.on('close', () => reject(refused ?? failed('connection', 'Transient', 'The server ended the connection.')))
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
      // Many servers ask for the password in this way.
      answer(prompts.map(() => login.password ?? '')),
    )
    client.on('ready', () => client.sftp((error, sftp) => (error ? reject(noSftp(error)) : resolve(sftp))))
    client.connect({
      ...configOf(login),
      sock,
      hostVerifier: (key: Buffer) => {
        const seen = fingerprintOf(key)
        if (seen !== login.fingerprint) refused = new HostKeyError(seen, login.fingerprint)
        return refused === null
      },
    })
  })
}

function configOf({ user, password, privateKey, passphrase }: Login): ConnectConfig {
  return {
    username: user,
    readyTimeout: SIGN_IN_MS,
    ...KEEPALIVE,
    algorithms: { cipher: [...CIPHERS] },
    ...(password !== null && { password, tryKeyboard: true }),
    ...(privateKey !== null && { privateKey }),
    ...(passphrase !== null && { passphrase }),
  }
}

function noSftp(cause: Error) {
  return failed('connection', 'Forbidden', 'The server accepts the login, but offers no SFTP.', cause)
}
