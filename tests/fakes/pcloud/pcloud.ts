import type { Exchange, Service, ServiceOptions } from '../core/service.ts'
import { createCommands, type PcloudCommands } from './commands.ts'
import { CONTENT_HOSTS, METHODS, sendContent } from './methods.ts'
import { authorize, token } from './oauth.ts'
import { type Client, createState, REFUSALS, REGIONS, Refusal, type State, type User } from './state.ts'
import { numbers } from './tree.ts'

export type PcloudOptions = ServiceOptions & {
  /** The apps that the service knows. */
  readonly clients?: readonly Client[]
}

/** Known unless others are given; takes any redirect address. */
export const PCLOUD_CLIENT: Client = { id: 'emulated-pcloud-id', secret: 'emulated-pcloud-secret' }

export type PcloudService = Service & { readonly commands: PcloudCommands }

/** pCloud's API in both regions, with its authorization, for the accounts that `addUser` makes. */
export function createPcloud({ clock = Date.now, clients = [PCLOUD_CLIENT] }: PcloudOptions = {}): PcloudService {
  const state = createState(clock, clients)
  return {
    name: 'pcloud',
    hosts: ['my.pcloud.com', ...Object.values(REGIONS), ...CONTENT_HOSTS],
    handle: (exchange) => handle(state, exchange),
    commands: createCommands(state),
  }
}

async function handle(state: State, exchange: Exchange): Promise<void> {
  const { host, pathname } = exchange.url
  if (host === 'my.pcloud.com' && pathname === '/oauth2/authorize') return authorize(state, exchange)
  if (CONTENT_HOSTS.includes(host)) return sendContent(state, exchange)
  try {
    const answer = await perform(state, exchange)
    await sendNumbers(exchange, { result: 0, ...answer })
  } catch (error) {
    if (error instanceof Limited) return exchange.send(429, error.headers)
    if (error instanceof Broken) return exchange.send(error.status)
    if (!(error instanceof Refusal)) throw error
    await sendNumbers(exchange, { result: error.result, error: error.words })
  }
}

const sendNumbers = (exchange: Exchange, value: object): Promise<void> =>
  exchange.send(200, { 'content-type': 'application/json; charset=utf-8' }, numbers(value))

class Limited extends Error {
  constructor(readonly headers: Readonly<Record<string, string>>) {
    super('limited')
  }
}
class Broken extends Error {
  constructor(readonly status: number) {
    super('broken')
  }
}

/** Parameters come in the address, or in a form; the token too, or as Bearer. */
async function perform(state: State, exchange: Exchange): Promise<object> {
  const { pathname, searchParams, host } = exchange.url
  const name = pathname.slice(1)
  const isForm = exchange.request.headers['content-type'] === 'application/x-www-form-urlencoded'
  const form = isForm ? new URLSearchParams((await exchange.readBody()).toString()) : new URLSearchParams()
  const parameters = new URLSearchParams([...searchParams, ...form])
  const user = userIn(state, exchange, parameters)
  await exchange.begin(name, user?.email ?? state.codes.get(parameters.get('code') ?? '')?.user.email ?? null)
  playFailures(exchange)
  if (name === 'oauth2_token') return token(state, host, parameters)
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (!method) throw new Refusal(1, 'Unknown method.')
  if (!user) throw exchange.request.headers.authorization ? REFUSALS.invalidToken() : REFUSALS.loginRequired()
  // An account is known in its own region alone.
  if (REGIONS[user.location] !== host) throw REFUSALS.loginFailed()
  return method({ state, exchange, user, parameters })
}

function userIn(state: State, { request }: Exchange, parameters: URLSearchParams): User | undefined {
  const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return state.tokens.get(bearer ?? parameters.get('access_token') ?? '')
}

function playFailures(exchange: Exchange): void {
  const limited = exchange.take('rateLimit')
  if (limited) throw new Limited(limited.retryAfter === undefined ? {} : { 'retry-after': String(limited.retryAfter) })
  const broken = exchange.take('serverError')
  if (broken?.status === 200) throw new Refusal(5000, 'Internal error. Try again later.')
  if (broken) throw new Broken(broken.status ?? 503)
  if (exchange.take('expired')) throw REFUSALS.invalidToken()
}
