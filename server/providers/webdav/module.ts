import type { Capabilities, Credentials, Driver, FieldRequirement, FormField, ProviderModule } from '../driver.ts'
import type { HostGuard } from '../shared/hostGuard.ts'
import { createHttp, type Timeouts } from '../shared/http.ts'
import { ROOT } from './address.ts'
import { createDavClient, type DavAccess, type DavClient, KIND } from './client.ts'
import { checkValues, connect } from './connect.ts'
import { download } from './download.ts'
import { ensureFolder, identity, move, quota, remove, stat } from './files.ts'
import { createListing } from './listing.ts'
import { DEFAULT_MULTISTATUS_LIMITS, type MultistatusLimits } from './multistatus.ts'
import { MAX_NAME } from './names.ts'
import { abandon, copy, put } from './put.ts'
import type { UploadLimits } from './upload.ts'

export type WebdavLimits = UploadLimits & MultistatusLimits & { readonly pageSize: number }
export type WebdavOptions = {
  readonly guard: HostGuard
  readonly limits?: Partial<WebdavLimits>
  readonly timeouts?: Partial<Timeouts>
}

const DEFAULT_LIMITS: WebdavLimits = { ...DEFAULT_MULTISTATUS_LIMITS, chunkBytes: 10 * 1024 * 1024, pageSize: 1000 }

const CAPABILITIES: Capabilities = {
  hash: null,
  duplicateNames: false,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: MAX_NAME,
  nameUnit: 'bytes',
  pathRefs: true,
  maxConcurrency: 6,
  maxConcurrentWrites: 3,
  // Of plain servers; Nextcloud and ownCloud continue large uploads.
  resumable: false,
}

const FIELDS: readonly FormField[] = [
  {
    name: 'address',
    label: 'Server address',
    help: 'Of the folder to connect, such as https://dav.example.org/files/. For Nextcloud and ownCloud, the address of the server is enough.',
    type: 'URL',
    secret: false,
    required: true,
  },
  {
    name: 'user',
    label: 'User name',
    help: null,
    type: 'TEXT',
    secret: false,
    required: false,
    requiredWhen: withoutToken('User name is required unless you enter an access token.'),
  },
  {
    name: 'password',
    label: 'Password',
    help: 'For Nextcloud and ownCloud, create an app password in the security settings of your account there.',
    type: 'TEXT',
    secret: true,
    required: false,
    requiredWhen: withoutToken('Password is required unless you enter an access token.'),
  },
  {
    name: 'token',
    label: 'Access token',
    help: 'Only for servers that use bearer tokens instead of a user name and password.',
    type: 'TEXT',
    secret: true,
    required: false,
  },
]

function withoutToken(message: string): FieldRequirement {
  return { conditions: [{ field: 'token', values: [''] }], message }
}

/** WebDAV servers; Nextcloud and ownCloud are recognised when they are connected. Only hosts that the guard allows are called. */
export function webdavModule({ guard, limits: given, timeouts }: WebdavOptions): ProviderModule {
  const http = createHttp({ emulatorUrl: null, guard, ...(timeouts && { timeouts }) })
  const limits = { ...DEFAULT_LIMITS, ...given }
  const clientOf = (access: DavAccess): DavClient => createDavClient(http, access, limits)
  return {
    kind: KIND,
    signIn: {
      by: 'FORM',
      form: {
        fields: FIELDS,
        check: checkValues,
        valuesOf: (credentials) => {
          const { root, user, password, token } = accessOf(credentials)
          return Object.fromEntries(
            Object.entries({ address: root, user, password, token }).flatMap(([name, value]) =>
              value ? [[name, value]] : [],
            ),
          )
        },
        destination: ['address'],
        folder: { field: 'address', value: (credentials, { ref }) => `${accessOf(credentials).root}${ref.slice(1)}` },
        exchange: (call, values) => connect({ http, clientOf }, call, values),
      },
    },
    open: (credentials) => driverOf(clientOf(accessOf(credentials)), limits),
  }
}

function driverOf(client: DavClient, limits: WebdavLimits): Driver {
  const listing = createListing(client, limits.pageSize)
  return {
    kind: KIND,
    capabilities: client.access.uploads === null ? CAPABILITIES : { ...CAPABILITIES, resumable: true },
    root: ROOT,
    identity: (call) => identity(client, call),
    quota: (call) => quota(client, call),
    stat: (call, ref) => stat(client, call, ref),
    list: listing.list,
    listAll: listing.listAll,
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    put: (call, entry, content, progress) => put(client, limits, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(client, call, session, isNeeded),
    delete: (call, ref) => remove(client, call, 'delete', ref),
    ensureFolder: (call, parent, name) => ensureFolder(client, call, parent, name),
    move: (call, ref, to) => move(client, call, ref, to),
    copy: (call, ref, entry, progress) => copy(client, limits, call, ref, entry, progress),
  }
}

/** Drivers are opened without credentials too, for their capabilities: every call of those is refused. */
const NO_ACCESS: DavAccess = {
  expiresAt: null,
  root: 'https://webdav.invalid/',
  user: null,
  password: null,
  token: null,
  subject: '',
  label: null,
  email: null,
  flavour: 'PLAIN',
  home: null,
  uploads: null,
  destination: 'ADDRESS',
}

function accessOf(credentials: Credentials): DavAccess {
  return { ...NO_ACCESS, ...credentials }
}
