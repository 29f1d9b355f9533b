import { Readable } from 'node:stream'
import type { ByteRange, Download } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { HttpResponse } from './http.ts'

/** The download of a response to a ranged request; `range` null: from the first byte to the last. */
export function rangedDownload(response: HttpResponse, range: ByteRange | null, where: ProviderErrorWhere): Download {
  const sent = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.header('content-range') ?? '')
  const [start, end, size] = (sent ?? []).slice(1).map(Number)
  const refuse = (message: string): never => {
    response.dispose()
    throw new ProviderError('Transient', { ...where, status: response.status }, { message })
  }
  if (response.status !== 206 || start === undefined || end === undefined || size === undefined) {
    return refuse('The response ignores the range.')
  }
  const wanted = range ?? { start: 0, end: size - 1 }
  if (start !== wanted.start || end !== wanted.end) return refuse('The response has another range.')
  return exactDownload(response, end - start + 1, where)
}

/** A body of exactly `length` bytes: it breaks with Transient when fewer or more arrive. */
export function exactDownload(response: HttpResponse, length: number, where: ProviderErrorWhere): Download {
  const announced = response.header('content-length')
  if (announced !== null && Number(announced) !== length) {
    response.dispose()
    throw new ProviderError('Transient', where, { message: `${announced} of ${length} bytes were announced.` })
  }
  response.expectLength(
    length,
    (received) => new ProviderError('Transient', where, { message: `${received} of ${length} bytes arrived.` }),
  )
  return { body: response.body }
}

/** The whole response: of exactly the announced length where there is one. */
export function wholeDownload(response: HttpResponse, where: ProviderErrorWhere): Download {
  const announced = response.header('content-length')
  return announced === null ? { body: response.body } : exactDownload(response, Number(announced), where)
}

export const emptyDownload = (): Download => ({ body: Readable.from([], { objectMode: false }) })
