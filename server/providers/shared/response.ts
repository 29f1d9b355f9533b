import type { ClientRequest, IncomingMessage } from 'node:http'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { endWithSignal } from '../../lib/endWithSignal.ts'
import type { Call } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { HttpResponse } from './http.ts'
import { networkError, type Timeouts } from './timeouts.ts'

const MOST_TEXT_BYTES = 8 * 1024 * 1024

/** The answer in `message`, with a body that ends with the call and does not stall for ever. */
export function responseOf(
  call: Call,
  request: ClientRequest,
  message: IncomingMessage,
  where: ProviderErrorWhere,
  { idleMs }: Timeouts,
): HttpResponse {
  const told = { ...where, status: message.statusCode ?? 0 }
  const body = bodyOf(call, request, message, told)
  watch(message, body, idleMs)
  const text = (): Promise<string> => textOf(body, told)
  return {
    status: told.status,
    header: (name) => {
      const value = message.headers[name.toLowerCase()]
      return (Array.isArray(value) ? value[0] : value) ?? null
    },
    body,
    text,
    json: async () => jsonOf(await text(), told),
    dispose: () => void body.destroy(),
  }
}

function bodyOf(call: Call, request: ClientRequest, message: IncomingMessage, where: ProviderErrorWhere): Readable {
  const body = new PassThrough({
    destroy(error, done) {
      if (!error) done(null)
      else done(call.signal.aborted ? call.signal.reason : networkError(error, where))
    },
  })
  pipeline(message, body, () => {
    if (!request.writableFinished) request.destroy()
  })
  // An aborted request ends its message early without an error: the body must not look like a short answer.
  return endWithSignal(call.signal, body)
}

/** A reader that rests is no stall of the service. */
function watch(message: IncomingMessage, body: Readable, idleMs: number): void {
  const { socket } = message
  const idle = (): void => {
    if (body.readableLength > 0) socket.setTimeout(idleMs)
    else message.destroy(new Error('nothing comes any more'))
  }
  socket.setTimeout(idleMs)
  socket.on('timeout', idle)
  message.once('close', () => {
    socket.off('timeout', idle)
    socket.setTimeout(0)
  })
}

async function textOf(body: Readable, where: ProviderErrorWhere): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_TEXT_BYTES) throw new ProviderError('Permanent', where, { message: 'The answer is too long.' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function jsonOf(text: string, where: ProviderErrorWhere): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError('Transient', where, { message: 'The answer is no JSON.' })
  }
}
