import { abortable } from '../../lib/concurrency.ts'
import type { Call, Capabilities, Driver, EntryRef, ProviderModule } from '../driver.ts'
import type { HostGuard } from '../shared/hostGuard.ts'
import { download } from './download.ts'
import { sftpError } from './errors.ts'
import { ensureFolder, move, quota, remove, stat } from './files.ts'
import { createForm } from './form.ts'
import { DEFAULT_LIMITS, type SftpLimits } from './limits.ts'
import { createFolders, list, listAll } from './listing.ts'
import { DEFAULT_PORT, KIND, type Login, loginOf } from './login.ts'
import { MAX_NAME_BYTES, ROOT } from './paths.ts'
import { createPool, type Lease, type Pool } from './pool.ts'
import { abandon, copy, put } from './put.ts'
import { lookAt, type Server } from './requests.ts'

export type SftpDeps = {
  readonly guard: Pick<HostGuard, 'resolve'>
  /** Smaller limits for tests. */
  readonly limits?: Partial<SftpLimits>
}

/** Servers with SSH, by version 3 of SFTP and the extensions of OpenSSH where they offer them. */
export function sftpModule({ guard, limits }: SftpDeps): ProviderModule {
  const pool = createPool(guard)
  return {
    kind: KIND,
    signIn: { by: 'FORM', form: createForm(guard) },
    open: (credentials) => createDriver(pool, loginOf(credentials), { ...DEFAULT_LIMITS, ...limits }),
  }
}

const CAPABILITIES: Capabilities = {
  hash: null,
  duplicateNames: false,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: MAX_NAME_BYTES,
  nameUnit: 'bytes',
  pathRefs: true,
  // Most of them share one connection.
  maxConcurrency: 12,
  maxConcurrentWrites: 4,
  resumable: true,
}

/** The driver of one account. */
function createDriver(pool: Pool, login: Login, limits: SftpLimits): Driver {
  const folders = createFolders()
  const { pageSize } = limits

  /** Runs the operation on a connection, which is free again when the work has ended: that can be later than an abort. */
  async function run<Value>(call: Call, operation: string, work: (server: Server) => Promise<Value>): Promise<Value> {
    return withErrors(call, operation, async () => {
      const lease = await pool.lease(call, login, operation === 'put')
      return abortable(call.signal, work(serverOf(lease, login, limits)).finally(lease.release))
    })
  }

  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    identity: (call) =>
      run(call, 'identity', async (server) => {
        await lookAt(server, 'identity', ROOT)
        const name = `${login.user}@${login.host}`
        const place = login.port === DEFAULT_PORT ? name : `${name}:${login.port}`
        return { subject: subjectOf(login), email: null, name, place }
      }),
    quota: (call) => run(call, 'quota', quota),
    stat: (call, ref) => run(call, 'stat', (server) => stat(server, ref)),
    list: (call, folder, cursor) => run(call, 'list', (server) => list(server, folders, { folder, cursor, pageSize })),
    listAll: (call, cursor) => run(call, 'listAll', (server) => listAll(server, folders, call, { cursor, pageSize })),
    get: (call, ref, range) =>
      withErrors(call, 'get', async () => {
        const lease = await pool.lease(call, login)
        const opening = download({ server: serverOf(lease, login, limits), lease, limits }, call, ref, range ?? null)
        opening.catch(lease.release)
        return abortable(call.signal, opening)
      }),
    put: (call, entry, content, progress) =>
      run(call, 'put', (server) => put({ server, limits, call }, { entry, content, progress })),
    abandon: (call, session, isNeeded) =>
      run(call, 'abandon', (server) => abandon({ server, limits, call }, session, isNeeded)),
    delete: (call, ref) => run(call, 'delete', (server) => remove(server, call.signal, ref)),
    ensureFolder: (call, parent, name) => run(call, 'ensureFolder', (server) => ensureFolder(server, parent, name)),
    move: (call, ref, to) => run(call, 'move', (server) => move(server, ref, to)),
    copy: (call, ref, entry, progress) =>
      run(call, 'copy', (server) => copy({ server, limits, call }, ref, entry, progress)),
  }
}

async function withErrors<Value>({ signal }: Call, operation: string, work: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    throw sftpError(operation, error)
  }
}

/** Stored logins have an absolute folder. */
function serverOf({ channel }: Lease, { folder }: Login, { folderEntries }: SftpLimits): Server {
  return { channel, base: folder ?? '/', mostNames: folderEntries }
}

/** The same login with another folder is another account. */
function subjectOf({ user, host, port, folder }: Login): EntryRef | string {
  return `${user}@${host.toLowerCase()}:${port}${folder ?? '/'}`
}
