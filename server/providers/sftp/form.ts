import { randomUUID } from 'node:crypto'
import type { Stats } from 'ssh2'
import { abortable } from '../../lib/concurrency.ts'
import type { Credentials, SignInForm } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { type HostGuard, HostRefused } from '../shared/hostGuard.ts'
import type { Channel } from './channel.ts'
import { connect, loadSsh2 } from './connect.ts'
import { HostKeyError, hasStatus, STATUS, sftpErrorCode } from './errors.ts'
import { checkLogin, credentialsOf, FIELDS, KIND, type Login, loginOf } from './login.ts'
import { partName } from './paths.ts'

/**
 * Connecting in two steps: without a fingerprint the server is only asked for its host key, which the user compares and enters.
 * The stored folder is absolute, so that the account keeps it when the user's home changes.
 */
export function createForm(guard: Pick<HostGuard, 'resolve'>): SignInForm {
  return {
    fields: FIELDS,
    check: checkLogin,
    destination: ['host', 'port'],
    folder: {
      field: 'folder',
      value: ({ folder }, { name }) => `${(folder ?? '').replace(/\/+$/, '')}/${name}`,
    },
    async exchange(call, values) {
      call.signal.throwIfAborted()
      const login = loginOf(values)
      await checkKey(login)
      const channel = await abortable(call.signal, connectFor(guard, login))
      try {
        return await abortable(call.signal, credentialsFor(channel, login))
      } finally {
        channel.close()
      }
    },
  }
}

/** @throws Forbidden, before anything is sent */
async function checkKey({ privateKey, passphrase }: Login): Promise<void> {
  if (privateKey === null) return
  const { utils } = await loadSsh2()
  const key = utils.parseKey(privateKey, passphrase ?? undefined)
  if (!(key instanceof Error)) return
  if (/no passphrase given/i.test(key.message)) throw refused('The private key has a passphrase. Please enter it too.')
  const isEncrypted = passphrase !== null && !/unsupported|cannot parse privateKey/i.test(key.message)
  if (/^\s*(?:ssh-|ecdsa-|---- BEGIN SSH2 PUBLIC)/.test(privateKey)) {
    throw refused('This is a public key. Paste the private key that belongs to it, from the file without .pub.')
  }
  throw refused(
    isEncrypted
      ? 'The private key could not be read with this passphrase.'
      : 'This is not a private key in the format of OpenSSH, PEM or PuTTY.',
  )
}

async function connectFor(guard: Pick<HostGuard, 'resolve'>, login: Login): Promise<Channel> {
  try {
    return await connect(guard, login)
  } catch (error) {
    throw connectionError(login, error)
  }
}

/** What the user can do about it. */
function connectionError({ host, port, user, password }: Login, error: unknown): unknown {
  if (error instanceof HostKeyError) return refused(hostKeyMessage(error), error, error.seen)
  if (error instanceof HostRefused) return refused(error.message, error)
  if (sftpErrorCode(error as object) === 'AuthExpired') {
    const what = password === null ? 'this private key' : 'this password'
    return refused(`The server does not accept ${what} for “${user}”.`, error)
  }
  if (!(error instanceof Error) || !('level' in error || 'code' in error)) return error
  const { code, level } = error as { code?: unknown; level?: unknown }
  if (level === 'handshake' || level === 'protocol') {
    const message = `The server at ${host}:${port} is not one with SSH, has no encryption in common with Skypool, or refuses connections from here.`
    return refused(message, error)
  }
  const reason = REASONS[String(code)] ?? 'it does not answer'
  return refused(`The server ${host}:${port} cannot be reached: ${reason}.`, error)
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections on this port',
  EHOSTUNREACH: 'there is no way to its network',
  ENETUNREACH: 'there is no way to its network',
  ECONNRESET: 'it ended the connection',
}

function hostKeyMessage({ seen, confirmed }: HostKeyError): string {
  if (confirmed === null) {
    return `The host key of the server has the fingerprint ${seen}. Compare it with the one that you know from the server, enter it as host key fingerprint, and connect again. Your login has not been sent yet.`
  }
  return `The host key of the server has the fingerprint ${seen} and not ${confirmed}. It may be another server, so your login was not sent.`
}

/** @throws Forbidden with what is wrong with the folder */
async function credentialsFor(channel: Channel, login: Login): Promise<Credentials> {
  const name = login.folder ?? 'your home folder'
  const path = await channel
    .ask<string>((sftp, done) => sftp.realpath(login.folder ?? '.', done))
    .catch(unless(STATUS.NO_SUCH_FILE, `There is no folder “${name}” on the server.`))
  const stats = await channel
    .ask<Stats>((sftp, done) => sftp.stat(path, done))
    .catch(unless(STATUS.NO_SUCH_FILE, `There is no folder “${name}” on the server.`))
  if (!stats.isDirectory()) throw refused(`“${name}” is not a folder on the server.`)
  await tryToWrite(channel, path, name)
  return credentialsOf({ ...login, folder: path })
}

async function tryToWrite(channel: Channel, folder: string, name: string): Promise<void> {
  const path = `${folder.endsWith('/') ? folder : `${folder}/`}${partName(randomUUID())}`
  const handle = await channel
    .ask<Buffer>((sftp, done) => sftp.open(path, 'wx', done))
    .catch(unless(STATUS.PERMISSION_DENIED, `“${name}” can be read, but not written to.`))
  await channel.ask<void>((sftp, done) => sftp.close(handle, done))
  await channel.ask<void>((sftp, done) => sftp.unlink(path, done))
}

function unless(status: number, message: string): (error: unknown) => never {
  return (error) => {
    throw hasStatus(error, status) ? refused(message, error) : error
  }
}

/** The only code whose message users see when they connect an account. */
function refused(message: string, cause?: unknown, fingerprint?: string): ProviderError {
  const where = { provider: KIND, operation: 'exchange' }
  return new ProviderError('Forbidden', where, { message, cause, ...(fingerprint !== undefined && { fingerprint }) })
}
