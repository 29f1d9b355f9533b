import { randomInt } from 'node:crypto'
import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import { checkToken, type Http, type HttpRequest, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { KIND, megaError, statusError } from './errors.ts'
import { solveHashcash } from './hashcash.ts'

const API = 'https://g.api.mega.co.nz'

/** A command of MEGA's API: `a` names it. */
export type Command = { readonly a: string; readonly [argument: string]: unknown }

/** Calls with one session of MEGA. All reject with ProviderError or the signal's reason. */
export type MegaClient = {
  /** One command. @returns its result */
  ask(call: Call, operation: string, command: Command): Promise<unknown>
  /** One command whose result can be too long to keep as a whole: the response as it arrives. */
  open(call: Call, operation: string, command: Command): Promise<HttpResponse>
  /** What happened in the account since `sn`, or a number for an error. */
  poll(call: Call, operation: string, sn: string): Promise<unknown>
  /** A request to one of MEGA's storage servers, whose address is the credential. Rejects statuses of 400 and more. */
  send(call: Call, operation: string, request: Omit<HttpRequest, 'where'>): Promise<HttpResponse>
}

/** Answers to challenges before the call is given up: each costs seconds of work. */
const MAX_CHALLENGES = 3

/** `session` null: before the login. */
export function createMegaClient(http: Http, session: string | null): MegaClient {
  // MEGA takes two requests with the same number for one.
  let sequence = randomInt(2 ** 31)

  async function post(call: Call, where: ProviderErrorWhere, url: string, body: string): Promise<HttpResponse> {
    let answer: string | null = null
    for (let challenges = 0; ; challenges += 1) {
      const headers = { 'content-type': 'application/json', ...(answer !== null && { 'x-hashcash': answer }) }
      const response = await http.send(call, { where, method: 'POST', url, headers, body })
      if (response.status < 400) return response
      const challenge = response.status === 402 ? response.header('x-hashcash') : null
      response.dispose()
      answer = challenge === null || challenges === MAX_CHALLENGES ? null : await solveHashcash(challenge, call.signal)
      if (answer === null) throw statusError(response.status, where, waitOf(response))
    }
  }

  function open(call: Call, operation: string, command: Command): Promise<HttpResponse> {
    const where = { provider: KIND, operation }
    if (session !== null) checkToken(session, where)
    sequence += 1
    const query = new URLSearchParams({ id: String(sequence), ...(session !== null && { sid: session }) })
    return post(call, where, `${API}/cs?${query}`, JSON.stringify([command]))
  }

  return {
    open,
    async ask(call, operation, command) {
      const where = { provider: KIND, operation }
      const answer = await (await open(call, operation, command)).json()
      const result: unknown = Array.isArray(answer) ? answer[0] : answer
      if (typeof result === 'number' && result < 0) throw megaError(result, where)
      if (result !== undefined && result !== null) return result
      throw new ProviderError('Transient', where, { message: 'The response has no result.' })
    },
    async poll(call, operation, sn) {
      const where = { provider: KIND, operation }
      checkToken(session ?? '', where)
      const query = new URLSearchParams({ sn, sid: session ?? '' })
      return (await post(call, where, `${API}/sc?${query}`, '')).json()
    },
    async send(call, operation, request) {
      const where = { provider: KIND, operation }
      const response = await http.send(call, { ...request, url: storageAddress(request.url, where), where })
      if (response.status < 400) return response
      response.dispose()
      throw statusError(response.status, where, waitOf(response))
    },
  }
}

/** Bytes are exchanged with MEGA only, encrypted, whatever address a response contains. */
function storageAddress(text: string | URL, where: ProviderErrorWhere): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /(^|\.)mega(\.co)?\.nz$/.test(url.hostname)) {
    url.protocol = 'https:'
    return url
  }
  throw new ProviderError('Permanent', where, { message: 'The address is not one of MEGA.' })
}

/** The pause (ms) that a response asks for: storage servers say when the transfer quota is renewed, in seconds. */
function waitOf(response: HttpResponse): number | null {
  return retryAfterMs(response.header('x-mega-time-left')) ?? retryAfterMs(response.header('retry-after'))
}
