import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Call } from '../driver.ts'
import type { ProviderErrorWhere } from '../errors.ts'
import type { HttpBody, HttpRequest, HttpResponse } from './http.ts'
import { responseOf } from './response.ts'
import { limitConnecting, networkError, type Timeouts } from './timeouts.ts'
import { writeBody } from './writeBody.ts'

// node:http and not fetch: fetch gives up after 300 s whatever it still sends, and unpacks what was not asked for packed.
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

/** Sends one request and resolves with the head of its answer. */
export async function exchange(call: Call, url: URL, asked: HttpRequest, timeouts: Timeouts): Promise<HttpResponse> {
  const { where, method, body } = asked
  const isTls = url.protocol === 'https:'
  const request = (isTls ? requestHttps : requestHttp)(url, {
    method,
    agent: isTls ? agents.https : agents.http,
    headers: { 'accept-encoding': 'identity', ...asked.headers, ...lengthOf(method, body) },
  })
  const abort = (): void => void request.destroy(toError(call.signal.reason))
  call.signal.addEventListener('abort', abort, { once: true })
  request.once('close', () => call.signal.removeEventListener('abort', abort))
  limitConnecting(request, where, timeouts.connectMs)
  try {
    const answered = answerTo(request, where, asked.patienceMs ?? timeouts.headMs)
    const written = writeBody(request, body, where, timeouts)
    // An answer before all is sent counts at once, even while the content is slow to come.
    written.catch(() => undefined)
    const message = await Promise.race([answered, written.then(() => answered)])
    return responseOf(call, request, message, where, timeouts)
  } catch (error) {
    request.destroy()
    if (call.signal.aborted) throw call.signal.reason
    throw networkError(error, where)
  }
}

/** `patienceMs` counts from when all is sent. */
function answerTo(request: ClientRequest, where: ProviderErrorWhere, patienceMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      const late = (): void => void request.destroy(networkError(new Error('no answer in time'), where))
      timer = setTimeout(late, patienceMs)
    }
    request.once('finish', wait)
    request.once('close', () => clearTimeout(timer))
    request.once('response', (message) => {
      request.off('finish', wait)
      clearTimeout(timer)
      resolve(message)
    })
    // Stays for the life of the request: what breaks after the head breaks the body, and that tells.
    request.on('error', reject)
  })
}

function lengthOf(method: string, body: HttpBody | undefined): Record<string, string> {
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? {} : { 'content-length': '0' }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return { 'content-length': String(length) }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
