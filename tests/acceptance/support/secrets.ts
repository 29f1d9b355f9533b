import type { Exchange } from './proxy.ts'

/** Texts that are nobody's business, by what they are. */
export type Secrets = {
  add(kind: string, value: string | null | undefined): void
  /** All that a provider and the server have said to each other in confidence. */
  addExchange(exchange: Exchange): void
  kinds(): ReadonlySet<string>
  /** Kinds of the secrets that a text holds as they are, or encoded in a usual way. */
  hits(text: string, but?: readonly string[]): readonly string[]
}

const FIELDS = [
  'code',
  'code_verifier',
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
  'session_id',
  'upload_id',
  'state',
]
const SHORTEST = 12

export function createSecrets(): Secrets {
  const all = new Map<string, string>()

  function add(kind: string, value: string | null | undefined): void {
    if (value && value.length >= SHORTEST && !all.has(value)) all.set(value, kind)
  }

  function addParameters(parameters: URLSearchParams): void {
    for (const field of FIELDS) add(field, parameters.get(field))
  }

  return {
    add,
    addExchange({ path, requestHeaders, requestText, headers, text }) {
      add('access_token', /^Bearer (\S+)$/i.exec(requestHeaders.authorization ?? '')?.[1])
      add('basic', /^Basic (\S+)$/i.exec(requestHeaders.authorization ?? '')?.[1])
      addParameters(new URL(path, 'http://localhost').searchParams)
      if (requestHeaders['content-type']?.includes('urlencoded')) addParameters(new URLSearchParams(requestText))
      if (headers.location) addParameters(new URL(headers.location, 'http://localhost').searchParams)
      for (const field of FIELDS) {
        for (const [, value] of text.matchAll(new RegExp(`"${field}": ?"([^"]+)"`, 'g'))) add(field, value)
      }
    },
    kinds: () => new Set(all.values()),
    hits(text, but = []) {
      const found = [...all].filter(
        ([value, kind]) => !but.includes(kind) && formsOf(value).some((form) => text.includes(form)),
      )
      return found.map(([, kind]) => kind)
    },
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [value, encodeURIComponent(value), base64, bytes.toString('base64url'), bytes.toString('hex')]
}
