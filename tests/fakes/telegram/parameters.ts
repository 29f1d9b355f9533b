import type { Exchange } from '../core/service.ts'
import { type Bot, type State, TelegramError } from './state.ts'

export type Parameters = Readonly<Record<string, unknown>>
export type Method = {
  readonly name: string
  run(state: State, bot: Bot, parameters: Parameters, exchange: Exchange): unknown
}

/** Telegram's own limit is in the method; a body of more than this is no try of it. */
const MOST_BYTES = 64 * 1024 * 1024

/** Those of the address, and those of the body as a form or as JSON; the address counts more. Files are `{ fileName, bytes }`. */
export async function parametersOf(exchange: Exchange): Promise<Parameters> {
  const body = await exchange.readBody(MOST_BYTES)
  const type = exchange.request.headers['content-type'] ?? ''
  const [, boundary] = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type) ?? []
  if (boundary !== undefined)
    return withAttached({ ...partsOf(body, boundary), ...Object.fromEntries(exchange.url.searchParams) })
  const text = body.toString()
  return { ...bodyOf(text, type), ...Object.fromEntries(exchange.url.searchParams) }
}

function bodyOf(text: string, type: string): Parameters {
  if (text === '') return {}
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  if (!type.startsWith('application/json')) return {}
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    throw new TelegramError(400, "Bad Request: can't parse JSON object")
  }
}

/** The parts of a form by RFC 7578. */
function partsOf(body: Buffer, boundary: string): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  const mark = Buffer.from(`--${boundary}`)
  let at = body.indexOf(mark)
  for (;;) {
    const begin = at + mark.length + 2
    const next = body.indexOf(Buffer.from(`\r\n--${boundary}`), begin)
    if (at < 0 || next < 0) return parts
    const headEnd = body.indexOf('\r\n\r\n', begin)
    const head = body.subarray(begin, headEnd).toString()
    const name = /\bname="?([^";\r\n]*)"?/i.exec(head)?.[1] ?? ''
    const fileName = /filename="?([^";\r\n]*)"?/i.exec(head)?.[1]
    const bytes = body.subarray(headEnd + 4, next)
    parts[name] = fileName === undefined ? bytes.toString() : { fileName, bytes }
    at = next + 2
  }
}

/** `attach://NAME` stands for the file of that name. */
function withAttached(parts: Record<string, unknown>): Parameters {
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => {
      const attached = typeof value === 'string' && /^attach:\/\/(.+)$/.exec(value)?.[1]
      return [name, attached ? parts[attached] : value]
    }),
  )
}

/** A whole number, also as text; `fallback` where there is none. */
export function numberOf(value: unknown, fallback: number): number {
  const number = Number(value)
  return value === undefined || value === '' || !Number.isSafeInteger(number) ? fallback : number
}
