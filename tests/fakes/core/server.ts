import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { control } from './control.ts'
import { createExchange } from './exchange.ts'
import { createFaults, type Fault } from './faults.ts'
import { type Call, createLog } from './log.ts'
import { ExchangeEnded, type Service } from './service.ts'
import { createThrottles } from './throttle.ts'

export type Emulators = {
  /** http://127.0.0.1:PORT, without a slash at the end. */
  readonly url: string
  plan(fault: Fault): void
  clearFaults(): void
  /** What has not happened yet. */
  planned(): readonly Fault[]
  log(): readonly Call[]
  resetLog(): void
  /** Both directions of a user together; null = no limit. */
  throttle(service: string, user: string, bytesPerSecond: number | null): void
  /** Ends all connections, and the services. */
  close(): Promise<void>
}

export type EmulatorOptions = {
  readonly services: readonly Service[]
  readonly port?: number
  /** For the times of the log. */
  readonly clock?: () => number
}

/**
 * One server on loopback for all services: `/@HOST/path` is what would go to https://HOST/path. Faults, log and commands
 * are under /__fault, /__log and /__control/SERVICE/COMMAND.
 */
export async function startEmulators({ services, port = 0, clock = Date.now }: EmulatorOptions): Promise<Emulators> {
  const faults = createFaults()
  const log = createLog()
  const throttles = createThrottles()
  const closing = new AbortController()
  const hosts = new Map(services.flatMap((service) => service.hosts.map((host) => [host, service])))

  const emulate = async (
    service: Service,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const began = clock()
    const input = { service: service.name, url, request, response, faults, throttles, closing: closing.signal }
    const { exchange, course } = createExchange(input)
    let bug: string | undefined
    try {
      await service.handle(exchange)
    } catch (error) {
      if (!(error instanceof ExchangeEnded)) bug = String(error instanceof Error ? error.stack : error)
      if (bug) await failed(response, bug)
    }
    log.add({
      ...course,
      service: service.name,
      method: exchange.method,
      host: url.host,
      path: url.pathname + url.search,
      status: response.headersSent ? response.statusCode : 0,
      at: new Date(began).toISOString(),
      ms: clock() - began,
      ...(bug && { bug }),
    })
  }
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = addressOf(request.url ?? '/')
    const service = address && hosts.get(address.host)
    if (address && service) return emulate(service, address, request, response)
    if (address) return answer(response, 502, { error: `No service answers for ${address.host}.` })
    return control({ request, response, services, faults, log, throttles })
  }
  const server = createServer((request, response) => {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    route(request, response).catch((error: unknown) => failed(response, String(error)))
  })
  server.requestTimeout = 0
  // A test that keeps this thread busy for some seconds must not find its idle connections cut afterwards.
  server.keepAliveTimeout = 0
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: faults.plan,
    clearFaults: faults.clear,
    planned: faults.planned,
    log: log.all,
    resetLog: log.reset,
    throttle: (service, user, bytesPerSecond) => throttles.set(`${service}:${user}`, bytesPerSecond),
    async close() {
      closing.abort()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all(services.map((service) => service.close?.()))
    },
  }
}

function addressOf(path: string): URL | null {
  const found = /^\/@([^/?]+)(.*)$/s.exec(path)
  return found ? new URL(`https://${found[1]}${found[2]}`) : null
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

async function failed(response: ServerResponse, bug: string): Promise<void> {
  if (response.headersSent || response.destroyed) response.destroy()
  else answer(response, 500, { emulatorBug: bug })
}
