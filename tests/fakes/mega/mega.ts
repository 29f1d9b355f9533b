import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { API_HOST, type Command, perform, STORAGE_HOST } from './api.ts'
import { createCommands, type MegaCommands } from './commands.ts'
import { decode, encode } from './crypto.ts'
import { countOf, createState, MegaError, type State, sequenceOf, type User } from './state.ts'
import { storage } from './storage.ts'

export type MegaService = Service & { readonly commands: MegaCommands }

/** MEGA, as its own programs speak with it: accounts, nodes with encrypted names and keys, a feed, and storage of encrypted bytes. */
export function createMega({ clock = Date.now }: ServiceOptions = {}): MegaService {
  const state = createState(clock)
  return {
    name: 'mega',
    hosts: [API_HOST, STORAGE_HOST],
    handle: (exchange) => (exchange.url.host === API_HOST ? answer(state, exchange) : storage(state, exchange)),
    commands: createCommands(state),
    close: () => state.blobs.close(),
  }
}

async function answer(state: State, exchange: Exchange): Promise<void> {
  const { pathname } = exchange.url
  if (pathname === '/cs') return commands(state, exchange)
  if (pathname === '/sc') return feed(state, exchange)
  if (pathname === '/wsc') return wait(state, exchange)
  await exchange.begin('unknown')
  await exchange.send(404)
}

const userOfSession = ({ sessions }: State, { url }: Exchange): User | undefined =>
  sessions.get(url.searchParams.get('sid') ?? '')

/** The answers of the real one have no spaces. */
const sendJson = (exchange: Exchange, value: unknown): Promise<void> =>
  exchange.send(200, { 'Content-Type': 'application/json' }, JSON.stringify(value))

async function commands(state: State, exchange: Exchange): Promise<void> {
  const asked = readCommands(await exchange.readBody())
  const operation = asked?.map(({ a }) => a).join('+') ?? 'unreadable'
  await exchange.begin(operation, userOfSession(state, exchange)?.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  if (!isSolved(state, exchange)) {
    const { easiness = 0, token = '' } = state.challenge ?? {}
    return exchange.send(402, { 'X-Hashcash': `1:${easiness}:${Math.floor(state.clock() / 1000)}:${token}` })
  }
  if (exchange.take('rateLimit')) return sendJson(exchange, -4)
  if (exchange.take('expired')) return sendJson(exchange, -15)
  if (!asked) return sendJson(exchange, -2)
  const results: unknown[] = []
  for (const command of asked) {
    const context = { state, exchange, session: exchange.url.searchParams.get('sid') }
    results.push(
      await perform(context, command).catch((error: unknown) => {
        if (error instanceof MegaError) return error.number
        throw error
      }),
    )
  }
  // A session that has ended is said once, for all of them.
  await sendJson(exchange, results.includes(-15) ? -15 : results)
}

function readCommands(body: Buffer): Command[] | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return Array.isArray(value) && value.every((one) => typeof (one as Command | null)?.a === 'string')
      ? (value as Command[])
      : null
  } catch {
    return null
  }
}

/** Whether the request may pass: with the answer to the challenge, where there is one. */
function isSolved(state: State, { request }: Exchange): boolean {
  const { challenge } = state
  if (!challenge || challenge.left === 0) return true
  const [version, token, prefix = ''] = String(request.headers['x-hashcash'] ?? '').split(':')
  const bytes = decode(prefix)
  if (version !== '1' || token !== challenge.token || bytes.length !== 4) return false
  const hash = createHash('sha256').update(bytes)
  const slot = decode(challenge.token)
  for (let copies = 0; copies < 262_144 / 1024; copies += 1) hash.update(Buffer.alloc(slot.length * 1024, slot))
  const { easiness } = challenge
  const threshold = (((easiness & 63) << 1) + 1) * 2 ** ((easiness >> 6) * 7 + 3)
  if (hash.digest().readUInt32BE(0) > threshold) return false
  state.challenge = { easiness, token: encode(randomBytes(48)), left: challenge.left - 1 }
  return true
}

/** Packets in one answer. */
const PAGE = 50

async function feed(state: State, exchange: Exchange): Promise<void> {
  const user = userOfSession(state, exchange)
  await exchange.begin('sc', user?.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  if (exchange.take('rateLimit')) return sendJson(exchange, -4)
  if (!user || exchange.take('expired')) return sendJson(exchange, -15)
  const count = countOf(user, exchange.url.searchParams.get('sn') ?? '')
  if (count === null) return sendJson(exchange, -2)
  if (count < user.forgotten) return sendJson(exchange, -6)
  const rest = user.packets.slice(count - user.forgotten)
  const sn = sequenceOf(user, count + Math.min(rest.length, PAGE))
  if (rest.length === 0) return sendJson(exchange, { w: `https://${API_HOST}/wsc?id=${user.handle}&sn=${sn}`, sn })
  await sendJson(exchange, { a: rest.slice(0, PAGE), sn, ...(rest.length > PAGE && { ir: 1 }) })
}

/** Answers when something has happened. */
async function wait(state: State, exchange: Exchange): Promise<void> {
  const handle = exchange.url.searchParams.get('id') ?? ''
  const user = [...state.users.values()].find((one) => one.handle === handle)
  await exchange.begin('wsc', user?.email ?? null)
  const isBehind =
    user && countOf(user, exchange.url.searchParams.get('sn') ?? '') !== user.packets.length + user.forgotten
  if (user && !isBehind) {
    const ended = new AbortController()
    exchange.response.once('close', () => ended.abort())
    await once(state.events, handle, { signal: ended.signal }).catch(() => undefined)
  }
  if (!exchange.response.destroyed) await exchange.send(200, {}, '0')
}
