import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Fault, Faults } from './faults.ts'
import type { Log } from './log.ts'
import type { Service } from './service.ts'
import type { Throttles } from './throttle.ts'

type ControlInput = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly services: readonly Service[]
  readonly faults: Faults
  readonly log: Log
  readonly throttles: Throttles
}

type Throttle = { readonly user: string; readonly bytesPerSecond: number | null }

/** What is asked of the emulators and not of a service: faults, log, commands. */
export async function control(input: ControlInput): Promise<void> {
  const { request, response } = input
  const body = await json(request)
  const path = (request.url ?? '/').split('?')[0]
  try {
    const result = await perform(input, `${request.method} ${path}`, body)
    reply(response, result === undefined ? 404 : 200, result ?? { error: `There is no ${request.method} ${path}.` })
  } catch (error) {
    reply(response, 400, { error: error instanceof Error ? error.message : String(error) })
  }
}

async function perform(
  { services, faults, log, throttles }: ControlInput,
  asked: string,
  body: unknown,
): Promise<unknown> {
  if (asked === 'GET /')
    return { services: services.map(({ name, hosts, commands }) => ({ name, hosts, commands: Object.keys(commands) })) }
  if (asked === 'GET /__log') return log.all()
  if (asked === 'DELETE /__log') return log.reset() ?? {}
  if (asked === 'GET /__fault') return faults.planned()
  if (asked === 'POST /__fault') return faults.plan(body as Fault) ?? {}
  if (asked === 'DELETE /__fault') return faults.clear() ?? {}
  const [, name, command] = /^POST \/__control\/([^/]+)\/([^/]+)$/.exec(asked) ?? []
  const service = services.find((candidate) => candidate.name === name)
  if (!service || !command) return undefined
  if (command === 'throttle') {
    const { user, bytesPerSecond } = body as Throttle
    return throttles.set(`${service.name}:${user}`, bytesPerSecond) ?? {}
  }
  const known = Object.hasOwn(service.commands, command) ? service.commands[command] : undefined
  if (!known) throw new Error(`${service.name} knows the commands ${Object.keys(service.commands).join(', ')}.`)
  return (await (known as (body: unknown) => unknown)(body)) ?? {}
}

async function json(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  try {
    return text ? JSON.parse(text) : {}
  } catch {
    return {}
  }
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value, null, 1))
}
