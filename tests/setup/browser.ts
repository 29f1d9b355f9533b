/** An answer with its body read: JSON where it is JSON, text otherwise. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

export type Browser = {
  /** The session token it holds; null when signed out. */
  readonly token: string | null
  /** A form or bytes are sent as they are, a text as if it were JSON, all else as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Keeps the session cookie and sends its own Origin, as a browser on our pages does. */
export function createBrowser(url: string, token: string | null = null): Browser {
  let held = token
  return {
    get token() {
      return held
    },
    async request(method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          origin: url,
          ...(held && { cookie: `sid=${held}` }),
          ...(body !== undefined && !isRaw(body) && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isRaw(body) || typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const cookie = response.headers.get('set-cookie')
      if (cookie) held = /^sid=([^;]+)/.exec(cookie)?.[1] ?? null
      return readAnswer(response)
    },
  }
}

function isRaw(body: unknown): body is FormData | Uint8Array<ArrayBuffer> {
  return body instanceof FormData || body instanceof Uint8Array
}

export async function readAnswer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await readBody(response) }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  return text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}
