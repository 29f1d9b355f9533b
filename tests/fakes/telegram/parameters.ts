import type { Exchange } from '../core/service.ts'
import { TelegramError } from './state.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** Those of the address, and those of the body as a form or as JSON; the address counts more. */
export async function parametersOf(exchange: Exchange): Promise<Parameters> {
  const text = (await exchange.readBody()).toString()
  const type = exchange.request.headers['content-type'] ?? ''
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

/** A whole number, also as text; `fallback` where there is none. */
export function numberOf(value: unknown, fallback: number): number {
  const number = Number(value)
  return value === undefined || value === '' || !Number.isSafeInteger(number) ? fallback : number
}
