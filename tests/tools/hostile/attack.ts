import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import type { OpenApi } from '../../../server/rest/docs/document.ts'
import { createRandom, type Random } from '../crashTest/random.ts'
import { createGraphqlRequests } from './graphql.ts'
import { judge } from './judge.ts'
import type { HostileRequest, World } from './request.ts'
import { createRestRequests } from './rest.ts'
import { createSender } from './send.ts'
import { chance, oddPart, pick } from './values.ts'
import { addressOf, createWorld } from './world.ts'

const AT_ONCE = 8
/** Requests of one user before the next one takes over: sooner or later what they had is deleted, and they are signed out. */
const LIFE = 150

export type AttackOptions = { readonly url: string; readonly count: number; readonly seed: number }

export type AttackReport = {
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** One sentence for each response that no request may get. */
  readonly findings: readonly string[]
}

/** Sends malformed requests to REST and GraphQL, the same ones for the same seed except for ids, and checks every response. The server must trust X-Forwarded-For. */
export async function attack({ url, count, seed }: AttackOptions): Promise<AttackReport> {
  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as OpenApi
  const rest = createRestRequests(document)
  const graphql = createGraphqlRequests(buildSchema(readFileSync('schema.graphql', 'utf8')))
  const sender = createSender(url, AT_ONCE)
  const statuses: Record<string, number> = {}
  const findings: string[] = []

  async function assail(from: number, until: number): Promise<void> {
    const random = createRandom(seed * 1_000_003 + from)
    const world = await createWorld(url, random)
    for (let index = from; index < until; index += 1) {
      const made = chance(random, 0.6) ? rest(random, world) : graphql(random, world)
      const request = signed(random, made, world, url)
      const answered = await sender.send(request)
      statuses[answered.status] = (statuses[answered.status] ?? 0) + 1
      const problem = judge(request, answered)
      if (problem) findings.push(`#${index} ${problem}: ${shown(request)} -> ${answered.text.slice(0, 400)}`)
    }
  }

  const starts = Array.from({ length: Math.ceil(count / LIFE) }, (_, index) => index * LIFE)
  const worker = async (): Promise<void> => {
    for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
      await assail(from, Math.min(from + LIFE, count))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker)).finally(sender.close)
  return { statuses, findings }
}

const ODD_SENDERS = [
  {},
  { cookie: 'sid=' },
  { cookie: `sid=${'a'.repeat(43)}` },
  { cookie: '__proto__=1; sid' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer sky_live_000000000000000000000000000000000000' },
  { authorization: 'Basic YTpi' },
  { authorization: `Bearer ${'x'.repeat(8_000)}` },
]

/** Mostly as a user with permission; otherwise only the refusal would be tested. */
function signed(random: Random, request: HostileRequest, { cookie, key }: World, url: string): HostileRequest {
  const roll = random.next()
  const sender =
    roll < 0.08
      ? pick(random, ODD_SENDERS)
      : roll < 0.2 && key !== null
        ? { authorization: `Bearer ${key}` }
        : { cookie }
  const origin = chance(random, 0.97) ? url : pick(random, ['null', 'https://example.org', '', 'file://'])
  const from = chance(random, 0.95) ? addressOf(random) : oddPart(random)
  const accept = chance(random, 0.1) ? { accept: pick(random, ['text/html', 'text/event-stream', '', '*/*;q=x']) } : {}
  return { ...request, headers: { origin, 'x-forwarded-for': from, ...accept, ...sender, ...request.headers } }
}

function shown({ method, path, headers, body }: HostileRequest): string {
  const type = headers['content-type'] ?? ''
  return `${method} ${path.slice(0, 300)} ${type} ${body?.toString().slice(0, 600) ?? ''}`
}
