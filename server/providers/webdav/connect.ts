import { createHash } from 'node:crypto'
import type { Call, Credentials, FieldProblem, FormValues } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import { connectionProblem } from '../shared/connectionProblem.ts'
import type { Http } from '../shared/http.ts'
import { canonicalPath, ROOT } from './address.ts'
import { type DavAccess, type DavClient, KIND } from './client.ts'
import { type Cloud, findCloud } from './cloud.ts'
import { find, OTHER_PATH, remove, stat } from './files.ts'
import { newTemporary } from './names.ts'

export type ConnectDeps = { readonly http: Http; readonly clientOf: (access: DavAccess) => DavClient }

const WHERE = { provider: KIND, operation: 'exchange' }

/** Problems of the form that its fields do not cover. */
export function checkValues({ address, user, password, token }: FormValues): readonly FieldProblem[] {
  const { username, password: inAddress, search, hash } = new URL(address ?? 'https://x')
  if (username || inAddress) return [{ field: 'address', message: 'Enter user name and password in their own fields.' }]
  if (search || hash)
    return [
      {
        field: 'address',
        message:
          'Leave out the “?” or “#” and what follows. For Nextcloud, the start of the address is enough, such as https://cloud.example.org.',
      },
    ]
  if (user?.includes(':')) return [{ field: 'user', message: 'User names cannot contain a colon.' }]
  if (token === undefined) return []
  if (/[^\x21-\x7e]/.test(token))
    return [{ field: 'token', message: 'Tokens have no spaces and no special characters.' }]
  return password === undefined ? [] : [{ field: 'token', message: 'Enter a password or an access token, not both.' }]
}

/**
 * SignInForm.exchange: finds Nextcloud and ownCloud, opens the folder, and tries what uploads need. The messages of its Forbidden
 * errors are for the user.
 */
export async function connect({ http, clientOf }: ConnectDeps, call: Call, values: FormValues): Promise<Credentials> {
  const address = new URL(values.address ?? '')
  const typed = accessFrom(values, address)
  try {
    const cloud = await findCloud(http, call, address, {
      user: typed.user,
      authorization: clientOf(typed).authorization,
    })
    const access = cloud ? withCloud(typed, cloud) : typed
    await openRoot(clientOf(access), call)
    return { ...access, destination: await tryWriting(clientOf, call, access) }
  } catch (error) {
    call.signal.throwIfAborted()
    throw explained(error, address, typed)
  }
}

function accessFrom({ user, password, token }: FormValues, address: URL): DavAccess {
  const root = `${address.origin}${canonicalPath(address.pathname).replace(/\/*$/, '/')}`
  return {
    expiresAt: null,
    root,
    user: user ?? null,
    password: password ?? null,
    token: token ?? null,
    subject: subjectOf(root, user ?? ''),
    label: user === undefined ? address.host : `${user}@${address.host}`,
    email: null,
    flavour: 'PLAIN',
    home: null,
    uploads: null,
    destination: 'ADDRESS',
  }
}

function withCloud(access: DavAccess, cloud: Cloud): DavAccess {
  const { home, root, uploads, email, label } = cloud
  return { ...access, flavour: 'CLOUD', home, root, uploads, email, label, subject: subjectOf(root, '') }
}

/** The same with http and https, so that a server can change. A user name can be an email address, which a subject must not be. */
function subjectOf(root: string, user: string): string {
  const { host, pathname } = new URL(root)
  return createHash('sha256')
    .update(JSON.stringify([host, pathname, user]))
    .digest('hex')
    .slice(0, 32)
}

const NO_FOLDER =
  'There is no folder at this address. Check its path: of Nextcloud and ownCloud, enter the address of the start page.'

async function openRoot(client: DavClient, call: Call): Promise<void> {
  const found = await find(client, call, 'exchange', ROOT)
  if (!found) throw refusal(NO_FOLDER)
}

/** Stores, renames and deletes a small file, and checks that a rename replaces nothing. @returns the form of Destination that works */
async function tryWriting(
  clientOf: ConnectDeps['clientOf'],
  call: Call,
  access: DavAccess,
): Promise<DavAccess['destination']> {
  const [first, second, third] = [newTemporary(ROOT), newTemporary(ROOT), newTemporary(ROOT)]
  const client = clientOf(access)
  const store = (at: string) => client.run(call, 'exchange', { method: 'PUT', at, body: 'Skypool tries to write.\n' })
  try {
    await store(first)
    await store(second)
    const destination = await tryRenaming(clientOf, call, access, first, third)
    const replaced = await clientOf({ ...access, destination })
      .relocate(call, 'exchange', { method: 'MOVE', from: second, to: third })
      .then(
        () => true,
        (error: unknown) => !isFailure(error, 'Conflict'),
      )
    if (replaced) throw refusal('This server replaces files when others are renamed, so that files could be lost.')
    await stat(client, call, third)
    return destination
  } catch (error) {
    const status = error instanceof ProviderError ? error.where.status : undefined
    if (status === undefined || !NOT_WRITABLE.has(status)) throw error
    throw refusal(
      'You can read this folder, but not write to it. Choose another folder, or ask for the right to write.',
      error,
    )
  } finally {
    for (const ref of [first, second, third]) await remove(client, call, 'exchange', ref).catch(() => undefined)
  }
}

/** What servers answer to a write in a folder that could be read. */
const NOT_WRITABLE: ReadonlySet<number> = new Set([401, 403, 405, 409, 501])

/** A server behind a proxy may know itself by another address: then only the path is accepted. */
async function tryRenaming(
  clientOf: ConnectDeps['clientOf'],
  call: Call,
  access: DavAccess,
  from: string,
  to: string,
): Promise<DavAccess['destination']> {
  for (const destination of ['ADDRESS', 'PATH'] as const) {
    const client = clientOf({ ...access, destination })
    const isDone = await client.relocate(call, 'exchange', { method: 'MOVE', from, to }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ProviderError && [400, 403, 502].includes(error.where.status ?? 0)) return false
        throw error
      },
    )
    if (isDone) return destination
  }
  throw refusal('Files cannot be renamed in this folder, which uploads need.')
}

/** The error of connecting, with a message for the user. */
function explained(error: unknown, address: URL, { token }: DavAccess): unknown {
  if (!(error instanceof ProviderError)) return error
  const { code, where } = error
  if (code === 'Forbidden' && where.status === undefined) return error
  const host = address.host.slice(0, 100)
  if (where.status === undefined) return explainedUnanswered(error, host)
  const own = token === null ? 'user name and password' : 'access token'
  if (code === 'AuthExpired') return refusal(`The server did not accept the ${own}.`, error)
  if (code === 'Forbidden') return refusal('The server does not let this user open the folder.', error)
  if (code === 'NotFound') return refusal(NO_FOLDER, error)
  if (code === 'RateLimited')
    return refusal('The server accepts no more attempts for now. Try again in some minutes.', error)
  if (code === 'QuotaExceeded') return refusal('The account is full: there is no room for a test file.', error)
  if (where.status >= 300 && where.status < 400) {
    return refusal('The server redirects to another address. Enter the address that a browser shows in the end.', error)
  }
  if (where.status < 500 || where.status === 501)
    return refusal(`There is a web server at ${host}, but no WebDAV folder at this address.`, error)
  return error
}

/** The same without a response, or with one that is none of a WebDAV server. */
function explainedUnanswered(error: ProviderError, host: string): ProviderError {
  const problem = connectionProblem(error.detail.cause, host)
  if (problem !== null) return refusal(problem, error)
  if (error.detail.message === OTHER_PATH) {
    return refusal(
      'The server names this folder by another path. Enter the address that the server itself uses.',
      error,
    )
  }
  if (error.code !== 'Transient') return error
  return refusal(`No WebDAV server answers at ${host}. Check the address and the port.`, error)
}

function refusal(message: string, cause?: unknown): ProviderError {
  return new ProviderError('Forbidden', WHERE, { message, ...(cause !== undefined && { cause }) })
}
