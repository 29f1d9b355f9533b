import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'

export type TlsProxy = {
  /** For HTTPS_PROXY. */
  readonly url: string
  /** File of the authority that signed all hosts, for `--ca-cert` and NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  close(): Promise<void>
}

/**
 * A proxy for clients that know no other address than the real one: they CONNECT to HOST:443, find a certificate for it,
 * and what they ask goes to `emulator`/@HOST/path. Hosts that are not among `hosts` are refused. Needs `openssl`.
 */
export async function startTlsProxy(emulator: string, hosts: readonly string[]): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-tls-'))
  const secureContext = createSecureContext(makeCertificates(folder, hosts))
  const sockets = new Set<Socket>()
  const agent = new Agent({ keepAlive: true })
  const hostOf = new WeakMap<Socket, string>()
  const inner = createServer((request, response) => {
    forward(request, response, `${emulator}/@${hostOf.get(request.socket)}${request.url}`, agent)
  })
  inner.requestTimeout = 0
  const proxy = createServer((_, response) => response.writeHead(405).end())
  proxy.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const [host = ''] = (request.url ?? '').split(':')
    if (!hosts.includes(host)) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] })
    secure.on('error', () => socket.destroy())
    hostOf.set(secure, host)
    inner.emit('connection', secure)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    caFile: join(folder, 'ca.crt'),
    async close() {
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      await new Promise<void>((resolve) => proxy.close(() => resolve()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What breaks on one side breaks on the other. */
function forward(request: IncomingMessage, response: ServerResponse, address: string, agent: Agent): void {
  const onward = httpRequest(address, { method: request.method, headers: request.headers, agent })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
    answer.on('close', () => answer.complete || response.destroy())
  })
  onward.on('error', () => request.socket.destroy())
  response.on('close', () => onward.destroy())
  request.on('error', () => onward.destroy())
  request.pipe(onward)
}

function makeCertificates(folder: string, hosts: readonly string[]): { key: Buffer; cert: Buffer } {
  const file = (name: string): string => join(folder, name)
  const openssl = (...options: string[]): void => {
    execFileSync('openssl', options, { stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const life = ['-days', '2']
  openssl(
    'req',
    '-x509',
    ...newKey,
    ...life,
    '-subj',
    '/CN=Emulated authority',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
  )
  openssl('req', ...newKey, '-subj', '/CN=emulated', '-keyout', file('host.key'), '-out', file('host.csr'))
  writeFileSync(file('names'), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`)
  const authority = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial']
  openssl(
    'x509',
    '-req',
    '-in',
    file('host.csr'),
    ...authority,
    ...life,
    '-extfile',
    file('names'),
    '-out',
    file('host.crt'),
  )
  return { key: readFileSync(file('host.key')), cert: readFileSync(file('host.crt')) }
}
