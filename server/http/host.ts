import { hostname } from 'node:os'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { HttpError } from '../rest/errors.ts'

/** A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port. What else RFC 3986 allows in a host names no server. */
const HOST = /^(?:([a-z\d_](?:[a-z\d_.-]{0,253}[a-z\d_.])?)|(\[[\da-f:.]{2,45}\]))(?::\d{1,5})?$/i
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

export type OriginDeps = {
  /** Where people reach this server; null: by whatever known name the request uses. */
  readonly publicUrl: URL | null
  /** The address that this server listens on (HOST). */
  readonly host: string
  /** As Fastify takes it. */
  readonly trustProxy: boolean | string
  readonly logger: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Decides by which address a request came: `request.ownOrigin` is the origin that a browser on our pages has,
 * `request.linkOrigin` the one that links are made with. Without PUBLIC_URL the first follows the Host header; the second does
 * so only for names that nobody else can own (localhost, IP addresses, HOST, the name of this machine), else it is the address that
 * the connection arrived at. A server on loopback without a proxy refuses every other name: another site's name that was
 * made to resolve to 127.0.0.1 must not get an answer. @throws HttpError MALFORMED_BODY, UNKNOWN_HOST
 */
export function createSetOrigins({ publicUrl, host, trustProxy, logger }: OriginDeps) {
  const onLoopback = LOOPBACK.test(host) && trustProxy === false
  const own = new Set([host, `[${host}]`, hostname(), `${hostname()}.local`].map((name) => name.toLowerCase()))
  const isKnown = (name: string) =>
    own.has(name) || (onLoopback ? LOOPBACK.test(name) : isAddress(name)) || /(^|\.)localhost$/.test(name)
  let warned = false

  return (request: FastifyRequest): void => {
    if (countOf(request.raw.rawHeaders, 'host') > 1) throw malformed('The request has more than one Host header.')
    const asked = request.host
    const name = asked ? nameIn(asked) : ''
    if (publicUrl) {
      request.ownOrigin = publicUrl.origin
      request.linkOrigin = publicUrl.origin
      return
    }
    const arrived = `${request.protocol}://${arrivedAt(request)}`
    request.ownOrigin = asked ? `${request.protocol}://${asked}` : arrived
    request.linkOrigin = asked && isKnown(name) ? request.ownOrigin : arrived
    if (!asked || isKnown(name)) return
    if (onLoopback) throw unknown(asked, request.ownOrigin)
    if (warned) return
    warned = true
    logger.warn(
      { host: asked },
      `Links do not use the name that requests come by, because anybody can send one. Set PUBLIC_URL=${request.ownOrigin} if that is where people reach this server.`,
    )
  }
}

/** The host without its port, in lower case. @throws HttpError MALFORMED_BODY for what is no host */
function nameIn(host: string): string {
  const [, name, address] = HOST.exec(host) ?? []
  const found = name ?? address
  if (found === undefined) throw malformed('The Host header is not a host name with an optional port.')
  return found.toLowerCase()
}

function isAddress(name: string): boolean {
  return IPV4.test(name) || name.startsWith('[')
}

/** Names and values alternate. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) count += 1
  }
  return count
}

function arrivedAt({ socket: { localAddress = '127.0.0.1', localPort } }: FastifyRequest): string {
  const address = localAddress.replace(/^::ffff:/i, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}

function malformed(detail: string): HttpError {
  return new HttpError('MALFORMED_BODY', detail)
}

function unknown(host: string, origin: string): HttpError {
  const detail = `This server does not answer to the name ${host}. If people reach it by that name, its administrator sets PUBLIC_URL=${origin}.`
  return new HttpError('UNKNOWN_HOST', detail)
}
