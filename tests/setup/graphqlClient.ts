/** What a GraphQL answer holds. */
export type Answer = {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data?: any
  errors?: { message: string; path?: unknown[]; extensions?: Record<string, unknown> }[]
}

export type GraphqlClient = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** One operation; fails the test unless the answer is JSON. */
  (query: string, variables?: Record<string, unknown>): Promise<Answer>
  /** A subscription's answers, until the server ends it or the signal aborts. */
  stream(query: string, variables?: Record<string, unknown>, signal?: AbortSignal): AsyncGenerator<Answer, void>
  /** An operation with one file at `variables.input.file`. */
  upload(query: string, variables: Record<string, unknown>, file: File): Promise<Answer>
  raw(init: RequestInit): Promise<Response>
}

/** A client of one server, signed in by its session token unless that is null. Sends what our web client would, and `more` headers. */
export function createGraphqlClient(
  server: string,
  token: string | null,
  more: Readonly<Record<string, string>> = {},
): GraphqlClient {
  const url = `${server}/graphql`
  const headers: Record<string, string> = { origin: server, ...(token && { cookie: `sid=${token}` }), ...more }
  const json = { ...headers, 'content-type': 'application/json' }
  const raw = (init: RequestInit) => fetch(url, { method: 'POST', ...init, headers: { ...headers, ...init.headers } })

  async function ask(query: string, variables: Record<string, unknown> = {}): Promise<Answer> {
    const response = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ query, variables }) })
    return (await response.json()) as Answer
  }

  return Object.assign(ask, {
    url,
    headers,
    raw,
    async *stream(query: string, variables: Record<string, unknown> = {}, signal?: AbortSignal) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...json, accept: 'text/event-stream' },
        body: JSON.stringify({ query, variables }),
        ...(signal && { signal }),
      })
      yield* readEvents(response)
    },
    async upload(query: string, variables: Record<string, unknown>, file: File) {
      const body = new FormData()
      body.set('operations', JSON.stringify({ query, variables }))
      body.set('map', JSON.stringify({ 0: ['variables.input.file'] }))
      body.set('0', file)
      const response = await raw({ headers: { 'graphql-require-preflight': '1' }, body })
      return (await response.json()) as Answer
    },
  })
}

async function* readEvents(response: Response): AsyncGenerator<Answer, void> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      if (lines.includes('event: complete')) return
      const data = lines.find((line) => line.startsWith('data: '))
      if (data) yield JSON.parse(data.slice('data: '.length)) as Answer
    }
  }
}

/** What is asked of every typed error. */
export const ERROR = '... on Error { code message ... on InvalidInputError { fields { path } } }'

/** A mutation's payload or typed error; `topLevel` is the code of an error of the operation. */
export async function mutate(client: GraphqlClient, name: string, input: Record<string, unknown>, payload: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const query = `mutation($input: ${type}Input!) { ${name}(input: $input) { __typename ... on ${type}Payload { ${payload} } ${ERROR} } }`
  const { data, errors } = await client(query, { input })
  return errors ? { topLevel: errors[0]?.extensions?.code } : data[name]
}
