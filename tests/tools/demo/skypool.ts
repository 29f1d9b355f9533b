type Person = { readonly fullName: string; readonly email: string; readonly password: string }

export type DemoClient = {
  /** @throws Error with the server's words */
  send(method: string, path: string, body?: FormData | object): Promise<Response>
  json<Answer>(method: string, path: string, body?: object): Promise<Answer>
}

/** A signed-in client of the REST API, for a person who is registered by this. */
export async function createClient(url: string, person: Person): Promise<DemoClient> {
  let cookie = ''
  async function send(method: string, path: string, body?: FormData | object): Promise<Response> {
    const isForm = body instanceof FormData
    const response = await fetch(url + path, {
      method,
      headers: { origin: url, cookie, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  const client: DemoClient = {
    send,
    json: async (method, path, body) => (await send(method, path, body)).json() as Promise<never>,
  }
  const registered = await send('POST', '/api/v1/auth/register', person)
  cookie = registered.headers.getSetCookie().map(firstPart).join('; ')
  return client
}

const firstPart = (setCookie: string) => setCookie.split(';')[0] ?? ''

/** Connects an account as a person would, consent page included; by default only what Skypool stores is shown of it. @returns its id */
export async function connect(
  client: Pick<DemoClient, 'json'>,
  service: string,
  name: string,
  account: string,
  scope = 'OWN',
): Promise<string> {
  const path = `/api/v1/${service}-accounts`
  const { state, authorizationUrl } = await client.json<{ state: string; authorizationUrl: string }>(
    'GET',
    `${path}/init`,
  )
  const code = await allow(authorizationUrl, account)
  const { id } = await client.json<{ id: string }>('POST', `${path}/auth`, { code, name, state, scope })
  return id
}

/** Presses Allow on an emulated consent page. @returns the code that it sends back with */
export async function allow(authorizationUrl: string, account: string): Promise<string> {
  const page = await (await fetch(authorizationUrl)).text()
  const form = new URLSearchParams({ account, decision: 'allow' })
  for (const [, scope] of page.matchAll(/name="scope" value="([^"]*)"/g)) if (scope) form.append('scope', scope)
  const answer = await fetch(authorizationUrl, { method: 'POST', body: form, redirect: 'manual' })
  const code = new URL(answer.headers.get('location') ?? 'about:blank').searchParams.get('code')
  if (!code) throw new Error(`The consent page of ${account} gave no code (${answer.status}).`)
  return code
}
