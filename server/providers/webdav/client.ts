import type { Call, Credentials } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { type Http, type HttpBody, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { canonicalPath, hrefPath, isFolderRef } from './address.ts'
import { davError, exceptionIn } from './errors.ts'
import { type DavResource, type MultistatusLimits, OC, readMultistatus } from './multistatus.ts'

export const KIND = 'webdav'

/** What an account is connected with; stored encrypted. */
export type DavAccess = Credentials & {
  /** Address of its root folder, with a slash at the end. */
  readonly root: string
  /** Null with a token. */
  readonly user: string | null
  readonly password: string | null
  readonly token: string | null
  /** The stable id of the login. */
  readonly subject: string
  readonly label: string | null
  readonly email: string | null
  /** CLOUD: Nextcloud or ownCloud, which report more properties. */
  readonly flavour: 'PLAIN' | 'CLOUD'
  /** CLOUD only: address of the start page. */
  readonly home: string | null
  /** Address of the folder for uploads in chunks, where the server has one. */
  readonly uploads: string | null
  /** Form of the header Destination: some servers behind proxies accept only paths. */
  readonly destination: 'ADDRESS' | 'PATH'
}

export type DavRequest = {
  readonly method: string
  /** A ref, or a complete address. */
  readonly at: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: HttpBody
  readonly patienceMs?: number
}

/** Requests to one WebDAV server, with the credentials of one account. All reject with ProviderError or the signal's reason. */
export type DavClient = {
  readonly access: DavAccess
  /** The header of that name. */
  readonly authorization: string
  /** The response of a request that succeeded. */
  send(call: Call, operation: string, request: DavRequest): Promise<HttpResponse>
  /** A request whose response has no content of interest. @returns its status */
  run(call: Call, operation: string, request: DavRequest): Promise<number>
  /** A COPY or MOVE that replaces nothing. @throws Conflict, NotFound */
  relocate(
    call: Call,
    operation: string,
    request: { method: 'COPY' | 'MOVE'; from: string; to: string } & Extra,
  ): Promise<void>
  /** The properties of a resource (depth 0), or of a folder and what is in it (depth 1), as they arrive. */
  propfind(call: Call, operation: string, asked: Asked): AsyncGenerator<DavResource>
  addressOf(at: string): string
  /** The path of a resource in responses. */
  pathOf(at: string): string
}
export type Asked = { readonly at: string; readonly depth: 0 | 1; readonly properties?: 'ENTRY' | 'QUOTA' }
type Extra = { readonly headers?: Readonly<Record<string, string>> }

/** Servers move large folders and assemble large files before they respond. */
const RELOCATION_MS = 10 * 60_000
/** A server lists a large folder before it responds. */
const LISTING_MS = 120_000
/** For a whole list, from its first byte: a server could send it byte by byte for ever. */
const LONGEST_LIST_MS = 15 * 60_000

const PROPERTIES = {
  ENTRY: [
    'd:resourcetype',
    'd:getcontentlength',
    'd:getlastmodified',
    'd:creationdate',
    'd:getetag',
    'd:getcontenttype',
  ],
  CLOUD_ENTRY: ['oc:fileid', 'oc:permissions'],
  QUOTA: ['d:resourcetype', 'd:quota-available-bytes', 'd:quota-used-bytes'],
}

function propfindBody(names: readonly string[]): string {
  const properties = names.map((name) => `<${name}/>`).join('')
  return `<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:" xmlns:oc="${OC}"><d:prop>${properties}</d:prop></d:propfind>`
}

export function createDavClient(http: Http, access: DavAccess, limits: MultistatusLimits): DavClient {
  const root = new URL(access.root)
  const rootPath = canonicalPath(root.pathname)
  const addressOf = (at: string): string => (at.startsWith('/') ? `${root.origin}${rootPath}${at.slice(1)}` : at)
  const authorization = authorizationOf(access)

  async function send(call: Call, operation: string, request: DavRequest): Promise<HttpResponse> {
    const { at, headers, ...others } = request
    const [where, url] = [{ provider: KIND, operation }, addressOf(at)]
    const asked = { ...others, url, where, headers: { ...headers, authorization }, keepRedirects: true }
    const response = await http.send(call, asked)
    if (response.status >= 200 && response.status < 300) return response
    const target = response.header('location')
    const error = await failureOf(response, where)
    // Servers redirect from the name of a folder to the one with a slash: there is no file with the name.
    const isFolder = response.status < 400 && target !== null && hrefPath(target) === `${hrefPath(url)}/`
    throw isFolder ? new ProviderError('NotFound', error.where, { message: 'There is a folder.' }) : error
  }

  async function run(call: Call, operation: string, request: DavRequest): Promise<number> {
    const response = await send(call, operation, request)
    if (response.status === 207) throw await partialFailure(response, { provider: KIND, operation }, limits)
    await response.text()
    return response.status
  }

  return {
    access,
    authorization,
    send,
    run,
    async relocate(call, operation, { method, from, to, headers }) {
      const address = addressOf(to)
      const destination = access.destination === 'PATH' ? new URL(address).pathname : address
      const all = { ...headers, destination, overwrite: 'F', ...(method === 'COPY' && { depth: 'infinity' }) }
      await run(call, operation, { method, at: from, headers: all, patienceMs: RELOCATION_MS })
    },
    async *propfind(call, operation, { at, depth, properties = 'ENTRY' }) {
      const isCloudEntry = access.flavour === 'CLOUD' && properties === 'ENTRY'
      const names = [...PROPERTIES[properties], ...(isCloudEntry ? PROPERTIES.CLOUD_ENTRY : [])]
      const response = await send(call, operation, {
        method: 'PROPFIND',
        at,
        headers: { depth: String(depth), 'content-type': 'application/xml; charset=utf-8' },
        body: propfindBody(names),
        patienceMs: LISTING_MS,
      })
      yield* readResources(response, { provider: KIND, operation }, limits)
    },
    addressOf,
    pathOf: (at) => hrefPath(addressOf(at)),
  }
}

async function* readResources(
  response: HttpResponse,
  where: ProviderErrorWhere,
  limits: MultistatusLimits,
): AsyncGenerator<DavResource> {
  const late = (): void =>
    void response.body.destroy(new ProviderError('Transient', where, { message: 'The list takes too long.' }))
  const timer = setTimeout(late, LONGEST_LIST_MS)
  try {
    if (response.status !== 207) {
      throw new ProviderError('Transient', where, { message: 'This is not a response of a WebDAV server.' })
    }
    yield* readMultistatus(response.body as AsyncIterable<Buffer>, where, limits)
  } finally {
    clearTimeout(timer)
    response.dispose()
  }
}

/** The error of a response; its body is read. */
export async function failureOf(response: HttpResponse, where: ProviderErrorWhere): Promise<ProviderError> {
  const exception = exceptionIn(await response.text().catch(() => ''))
  return davError(response.status, exception, where, retryAfterMs(response.header('retry-after')))
}

/** A part of what was to be deleted, moved or copied was not: the first reason that the response has. */
async function partialFailure(
  response: HttpResponse,
  where: ProviderErrorWhere,
  limits: MultistatusLimits,
): Promise<ProviderError> {
  let status = 500
  for await (const resource of readResources(response, where, limits)) {
    if (resource.status === null || resource.status < 400 || resource.status === 424) continue
    status = resource.status
    break
  }
  // A missing part is no missing whole.
  return status === 404 ? davError(500, null, where, null) : davError(status, null, where, null)
}

function authorizationOf({ user, password, token }: DavAccess): string {
  if (token !== null) return `Bearer ${token}`
  return `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}`
}

/** Whether a path of a response is that of a ref; servers name folders with and without a slash at the end. */
export function isSamePath(path: string, other: string): boolean {
  return (
    path === other || (isFolderRef(path) ? path.slice(0, -1) === other : isFolderRef(other) && `${path}/` === other)
  )
}
