import { pipeline, Readable, Transform } from 'node:stream'
import type { ByteRange, Download } from '../driver.ts'
import { ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { HttpResponse } from './http.ts'

/** Of an answer to a ranged request; null `range` asked from the first byte to the last. */
export function rangedDownload(response: HttpResponse, range: ByteRange | null, where: ProviderErrorWhere): Download {
  const told = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.header('content-range') ?? '')
  const [start, end, size] = (told ?? []).slice(1).map(Number)
  const refuse = (message: string): never => {
    response.dispose()
    throw new ProviderError('Transient', { ...where, status: response.status }, { message })
  }
  if (response.status !== 206 || start === undefined || end === undefined || size === undefined) {
    return refuse('The range was not kept to.')
  }
  const wanted = range ?? { start: 0, end: size - 1 }
  if (start !== wanted.start || end !== wanted.end) return refuse('Another range was sent.')
  return exactDownload(response, end - start + 1, where)
}

/** A body of exactly `length` bytes: fewer or more break it. */
export function exactDownload(response: HttpResponse, length: number, where: ProviderErrorWhere): Download {
  const told = response.header('content-length')
  if (told !== null && Number(told) !== length) {
    response.dispose()
    throw new ProviderError('Transient', where, { message: `${told} bytes are sent of ${length}.` })
  }
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      done(seen > length ? wrongLength(seen) : null, chunk)
    },
    flush: (done) => done(seen === length ? null : wrongLength(seen)),
  })
  let seen = 0
  const wrongLength = (came: number): ProviderError =>
    new ProviderError('Transient', where, { message: `${came} bytes came of ${length}.` })
  pipeline(response.body, body, () => undefined)
  return { body }
}

export const emptyDownload = (): Download => ({ body: Readable.from([], { objectMode: false }) })
