import { type Blobs, createBlobs } from '../core/blobs.ts'
import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { dav } from './dav.ts'
import { DavProblem, notAuthenticated } from './errors.ts'
import { createTree, type Tree } from './tree.ts'

export const NEXTCLOUD_HOST = 'cloud.example'

export type NextcloudUser = {
  readonly id: string
  readonly appPassword: string
  readonly email: string
  /** -3: unlimited. */
  quotaBytes: number
}

export type Nextcloud = { readonly tree: Tree; readonly blobs: Blobs; readonly users: Map<string, NextcloudUser> }

export type NextcloudService = Service & {
  readonly commands: {
    addUser(user: { id: string; appPassword: string; email?: string; quotaBytes?: number }): void
    setPassword(change: { id: string; appPassword: string }): void
    setQuota(change: { id: string; quotaBytes: number }): void
    /** Replaces the content of a file, as its user does. */
    overwrite(change: { id: string; path: string; text: string }): Promise<void>
    /** What the user has, with uploads in progress. */
    objects(which: { id: string }): { path: string; isFolder: boolean }[]
  }
}

/** Nextcloud: its status, the two OCS calls that clients begin with, and WebDAV with uploads in chunks. */
export function createNextcloud({ clock = Date.now }: ServiceOptions = {}): NextcloudService {
  const blobs = createBlobs()
  const cloud: Nextcloud = { blobs, tree: createTree(blobs, clock), users: new Map() }
  const userOf = (id: string): NextcloudUser => {
    const user = cloud.users.get(id)
    if (!user) throw new Error(`There is no user ${id}.`)
    return user
  }
  return {
    name: 'nextcloud',
    hosts: [NEXTCLOUD_HOST],
    close: blobs.close,
    commands: {
      addUser({ id, appPassword, email = `${id}@example.com`, quotaBytes = -3 }) {
        cloud.users.set(id, { id, appPassword, email, quotaBytes })
        for (const root of ['files', 'uploads']) cloud.tree.makeFolder(`${root}/${id}`)
      },
      setPassword: ({ id, appPassword }) => void cloud.users.set(id, { ...userOf(id), appPassword }),
      setQuota({ id, quotaBytes }) {
        userOf(id).quotaBytes = quotaBytes
      },
      async overwrite({ id, path, text }) {
        const content = blobs.create()
        await content.append(Buffer.from(text))
        cloud.tree.putFile(`files/${id}/${path}`, content)
      },
      objects: ({ id }) =>
        ['files', 'uploads'].flatMap((root) =>
          cloud.tree.below(`${root}/${id}`).map(({ path, kind }) => ({ path, isFolder: kind === 'folder' })),
        ),
    },
    async handle(exchange) {
      try {
        await answer(exchange, cloud)
      } catch (error) {
        if (!(error instanceof DavProblem)) throw error
        const challenge = error.status === 401 ? { 'WWW-Authenticate': 'Basic realm="Nextcloud", charset="UTF-8"' } : {}
        await exchange.send(
          error.status,
          { 'Content-Type': 'application/xml; charset=utf-8', ...challenge },
          error.body,
        )
      }
    },
  }
}

async function answer(exchange: Exchange, cloud: Nextcloud): Promise<void> {
  const { pathname } = exchange.url
  if (pathname === '/status.php') {
    await exchange.begin('status')
    return exchange.sendJson(200, {
      installed: true,
      maintenance: false,
      version: '31.0.4.1',
      versionstring: '31.0.4',
      productname: 'Files',
    })
  }
  const operation = operationOf(exchange)
  await exchange.begin(operation, loginOf(exchange).id)
  const limit = exchange.take('rateLimit')
  if (limit) return exchange.send(429, { 'Retry-After': limit.retryAfter })
  if (exchange.take('serverError')) return exchange.send(503)
  const user = authenticate(exchange, cloud)
  if (pathname === '/ocs/v2.php/cloud/user')
    return ocs(exchange, { id: user.id, 'display-name': `${user.id} A.`, email: user.email })
  if (pathname === '/ocs/v2.php/cloud/capabilities')
    return ocs(exchange, { version: { major: 31 }, capabilities: { dav: { chunking: '1.0' } } })
  await dav(exchange, cloud, user)
}

function operationOf({ url: { pathname }, method }: Exchange): string {
  if (pathname.startsWith('/ocs/')) return 'ocs'
  return `${pathname.startsWith('/remote.php/dav/uploads/') ? 'uploads' : 'files'}.${method}`
}

function loginOf({ request }: Exchange): { id: string; password: string } {
  const [, encoded = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const [, id = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return { id, password }
}

function authenticate(exchange: Exchange, { users }: Nextcloud): NextcloudUser {
  const { id, password } = loginOf(exchange)
  // The address of the user works as a name too.
  const user = users.get(id) ?? [...users.values()].find(({ email }) => email === id)
  if (user?.appPassword !== password) throw notAuthenticated()
  return user
}

function ocs(exchange: Exchange, data: unknown): Promise<void> {
  if (exchange.request.headers['ocs-apirequest'] !== 'true') return exchange.send(412)
  return exchange.sendJson(200, { ocs: { meta: { status: 'ok', statuscode: 200 }, data } })
}
