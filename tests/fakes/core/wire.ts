import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Course } from './exchange.ts'
import { type Exchange, ExchangeEnded, type Headers } from './service.ts'

/** The connection of one exchange, with the bandwidth of its user and the faults planned for it. */
export type Wire = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly course: Course
  readonly take: Exchange['take']
  /** Resolves when this many bytes may pass. */
  pass(bytes: number): Promise<void>
  /** Ends it without a word. */
  cut(): never
}

export function createInput(wire: Wire): { body(): AsyncGenerator<Buffer>; limit(bytes: number): void } {
  let left = Number.POSITIVE_INFINITY
  const { request, course } = wire
  return {
    limit(bytes) {
      left = bytes
    },
    async *body() {
      try {
        for await (const chunk of request as AsyncIterable<Buffer>) {
          await wire.pass(chunk.length)
          const part = chunk.subarray(0, Math.min(chunk.length, left))
          course.bytesIn += part.length
          left -= part.length
          if (part.length > 0) yield part
          if (part.length < chunk.length) wire.cut()
        }
      } catch (error) {
        throw request.destroyed && !request.complete ? new ExchangeEnded() : error
      }
    },
  }
}

export type Output = {
  readonly status: number
  readonly headers: Headers
  readonly bytes: AsyncIterable<Buffer>
  /** false = fewer bytes come than the headers say, and the connection ends in good order. */
  readonly whole: boolean
}

/** Sends an answer, or loses it or its end where a fault says so. */
export function createOutput(wire: Wire): (output: Output) => Promise<void> {
  const { request, response, course } = wire
  const send = async (bytes: AsyncIterable<Buffer>, most: number): Promise<void> => {
    let left = most
    for await (const chunk of bytes) {
      await wire.pass(chunk.length)
      const part = chunk.subarray(0, Math.min(chunk.length, left))
      course.bytesOut += part.length
      left -= part.length
      if (!response.write(part)) await drained(response)
      if (part.length < chunk.length) wire.cut()
    }
  }
  return async ({ status, headers, bytes, whole }) => {
    if (response.destroyed || (status < 400 && wire.take('lostReply'))) wire.cut()
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    const isHead = request.method === 'HEAD'
    const cutDown = isHead ? null : wire.take('cutDown')
    if (!isHead) await send(bytes, cutDown ? (cutDown.bytes ?? 0) : Number.POSITIVE_INFINITY)
    if (cutDown) wire.cut()
    if (whole || isHead) response.end()
    else request.socket.end()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      response.off('drain', onDrain)
      response.off('close', onClose)
    }
    const onDrain = (): void => {
      end()
      resolve()
    }
    const onClose = (): void => {
      end()
      reject(new ExchangeEnded())
    }
    response.on('drain', onDrain)
    response.on('close', onClose)
    if (response.destroyed) onClose()
  })
}
