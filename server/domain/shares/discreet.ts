import type { ByteSource, Reading } from '../../storage/byteSource.ts'
import { readRange } from '../../storage/readRange.ts'
import { ContentUnavailableError } from '../errors.ts'

/** What a visitor is told instead of which account is missing. */
export function temporarilyUnavailable({ retryAfterSeconds }: ContentUnavailableError): ContentUnavailableError {
  return new ContentUnavailableError('This is temporarily unavailable. Please try again later.', { retryAfterSeconds })
}

/** The source, with nothing about the owner's accounts in what it throws; `onUnavailable` hears of it. */
export function discreet(source: ByteSource, onUnavailable: () => void): ByteSource {
  const told = (error: unknown): never => {
    if (!(error instanceof ContentUnavailableError)) throw error
    onUnavailable()
    throw temporarilyUnavailable(error)
  }
  async function open(reading: Reading = { start: 0, end: source.size - 1 }) {
    const reader = await source.open(reading).catch(told)
    return {
      read: (target: Buffer, position: number) => reader.read(target, position).catch(told),
      close: () => reader.close(),
    }
  }
  return { size: source.size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}
