import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code?: number; readonly message?: string }
}

export type TraceRequest = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every part
  readonly body: any
}

/** A collector of traces on loopback that keeps what it receives; `answer` says how it responds. */
export async function startOtlpReceiver(port = 0) {
  const requests: TraceRequest[] = []
  let answer: { readonly status: number; readonly body: string } = { status: 200, body: '{}' }
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    if (answer.status === 200) {
      requests.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) })
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${own}`),
    port: own,
    requests,
    answers(status: number, body = '{}') {
      answer = { status, body }
    },
    spans: (): ReceivedSpan[] =>
      requests.flatMap(({ body }) =>
        body.resourceSpans.flatMap((resource: { scopeSpans: { spans: ReceivedSpan[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>
