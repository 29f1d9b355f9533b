import { readEventStream } from '../../relay/eventStream.ts'

export type Operation = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  /** Empty: the session of this browser. */
  readonly key: string
}

export type Outcome = { readonly status: number; readonly milliseconds: number }

const ACCEPT = 'application/graphql-response+json, application/json, text/event-stream'

/**
 * Sends one operation as any program would, and hands over each answer as readable JSON: one, or those of a
 * subscription as they come, until `signal` aborts. @throws TypeError when the server cannot be reached, signal's
 * reason
 */
export async function runOperation(
  { query, variables, key }: Operation,
  signal: AbortSignal,
  onAnswer: (text: string) => void,
): Promise<Outcome> {
  const began = performance.now()
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: ACCEPT,
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ query, variables }),
    credentials: key ? 'omit' : 'same-origin',
    signal,
  })
  const milliseconds = Math.round(performance.now() - began)
  if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    for await (const { event, data } of readEventStream(response.body)) if (event === 'next') onAnswer(readable(data))
  } else {
    onAnswer(readable(await response.text()))
  }
  return { status: response.status, milliseconds }
}

/** Indented JSON; any other text unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The same call for a shell; a key is named, never written out. */
export function curlOf({ query, variables }: Pick<Operation, 'query' | 'variables'>, origin: string): string {
  const body = JSON.stringify({ query: query.replaceAll(/\s+/g, ' ').trim(), variables })
  return `curl ${origin}/graphql \\
  -H "Authorization: Bearer $SKYPOOL_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", `'\\''`)}'`
}
