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
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const cookie = response.headers.get('set-cookie')
      if (cookie) held = /^sid=([^;]+)/.exec(cookie)?.[1] ?? null
      return { status: response.status, headers: response.headers, body: await readBody(response) }
    },
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}
