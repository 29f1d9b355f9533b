import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { checkToken, type Http, type HttpBody, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { pcloudError, pcloudErrorCode } from './errors.ts'

export const KIND = 'pcloud'

/** An account is in one of two regions, and known at the host of that one only. */
export const HOSTS = ['api.pcloud.com', 'eapi.pcloud.com'] as const
export type Host = (typeof HOSTS)[number]

export const hostOf = (name: string | null | undefined): Host => HOSTS.find((host) => host === name) ?? HOSTS[0]

export type Parameters = Readonly<Record<string, string | number | undefined>>
export type Sent = {
  readonly body: HttpBody
  readonly contentType?: string
  /** PUT by default: the body is the content itself. */
  readonly method?: 'POST'
  readonly patienceMs?: number
}

/** API calls of one pCloud account. All reject with ProviderError or the signal's reason. */
export type PcloudClient = {
  readonly host: Host
  /** Calls a method of the API. Large numbers in the result are texts; `Result` is not verified. */
  ask<Result>(call: Call, operation: string, method: string, parameters?: Parameters, sent?: Sent): Promise<Result>
  /** Reads from a host of contents, where the address is the credential. */
  read(call: Call, operation: string, url: string, headers: Readonly<Record<string, string>>): Promise<HttpResponse>
}

export function createPcloudClient(http: Http, host: Host, accessToken: string): PcloudClient {
  return {
    host,
    ask(call, operation, method, parameters = {}, sent) {
      checkToken(accessToken, { provider: KIND, operation })
      return ask(http, call, { operation, host, method, parameters, sent, accessToken })
    },
    read(call, operation, url, headers) {
      return http.send(call, { where: { provider: KIND, operation }, method: 'GET', url, headers })
    },
  }
}

type Asked = {
  readonly operation: string
  readonly host: Host
  readonly method: string
  readonly parameters: Parameters
  readonly sent?: Sent | undefined
  readonly accessToken: string | null
}

/** `accessToken` null: for methods without one. */
export async function ask<Result>(http: Http, call: Call, asked: Asked): Promise<Result> {
  const { operation, host, method, parameters, sent, accessToken } = asked
  const where = { provider: KIND, operation }
  const url = new URL(`https://${host}/${method}`)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const response = await http.send(call, {
    where,
    method: sent ? (sent.method ?? 'PUT') : 'GET',
    url,
    headers: {
      ...(accessToken !== null && { authorization: `Bearer ${accessToken}` }),
      ...(sent && { 'content-type': sent.contentType ?? 'application/octet-stream' }),
    },
    ...(sent && { body: sent.body }),
    ...(sent?.patienceMs !== undefined && { patienceMs: sent.patienceMs }),
  })
  const { status } = response
  if (status >= 400) response.dispose()
  const body = status >= 400 ? null : parsed(await textOf(response), where)
  const result = typeof body?.result === 'number' ? body.result : null
  const code = pcloudErrorCode(status, result)
  if (code === null) return body as Result
  throw pcloudError(code, where, { status, result, retryAfterMs: retryAfterMs(response.header('retry-after')) })
}

type Where = { readonly provider: string; readonly operation: string }

/** Hashes have 64 bits, which JSON.parse would round, and ids may become as long. */
const LONG_NUMBERS = /"(hash|fileid|folderid|parentfolderid|diffid|uploadid|linkid|userid)":\s*(\d+)/g

function parsed(text: string, where: Where): { readonly result?: unknown } {
  try {
    const value: unknown = JSON.parse(text.replace(LONG_NUMBERS, '"$1":"$2"'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    throw new ProviderError('Transient', where, { message: 'The response is not JSON.' })
  }
}

/** A folder comes in one response, of about 400 bytes for each entry. */
const MAX_BYTES = 256 * 1024 * 1024

async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) {
      const where = { provider: KIND, operation: 'list' }
      throw new ProviderError('Permanent', where, { message: 'The response is too long.' })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export type PcloudLimits = {
  /** Size of the parts of an upload. */
  readonly chunkBytes: number
  /** Files up to this size are sent in one request, from memory. */
  readonly smallBytes: number
  readonly pageSize: number
}
const MIB = 1024 * 1024
export const DEFAULT_LIMITS: PcloudLimits = { chunkBytes: 8 * MIB, smallBytes: 4 * MIB, pageSize: 1000 }

export type PcloudContext = { readonly client: PcloudClient; readonly limits: PcloudLimits }
