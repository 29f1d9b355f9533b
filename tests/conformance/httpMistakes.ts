import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Http, HttpRequest, HttpResponse } from '../../server/providers/shared/http.ts'
import { CASES, runCase } from './driverSuite.ts'
import type { Harness } from './harness.ts'

/** A mistake in what a driver sends, or in what it makes of the response; everything else is right. */
export type HttpMistake = {
  /** The case of the suite that finds it. */
  readonly foundBy: string
  /** Null: the request is left out, and answered with `instead`. */
  readonly request?: (request: HttpRequest, url: URL) => HttpRequest | null
  readonly instead?: string
  /** The text of the response, where it differs. */
  readonly response?: (text: string, url: URL, request: HttpRequest) => string | null
}

/** `http` as a driver with the mistake would use it. */
function withMistake(http: Http, { request: change, instead = '{}', response: reread }: HttpMistake): Http {
  return {
    address: http.address,
    async send(call, request) {
      const sent = change ? change(request, new URL(request.url)) : request
      if (sent === null) return answerOf(instead)
      const response = await http.send(call, sent)
      if (!reread || response.status >= 300 || !response.header('content-type')?.includes('json')) return response
      const text = await response.text()
      return answerOf(reread(text, new URL(request.url), request) ?? text, response)
    },
  }
}

function answerOf(text: string, response?: HttpResponse): HttpResponse {
  return {
    status: response?.status ?? 200,
    header: (name) => response?.header(name) ?? null,
    headerNames: () => response?.headerNames() ?? [],
    body: Readable.from([Buffer.from(text)], { objectMode: false }),
    text: async () => text,
    json: async () => JSON.parse(text) as unknown,
    expectLength: () => undefined,
    dispose: () => undefined,
  }
}

/** Without one query parameter. */
export function without(request: HttpRequest, name: string): HttpRequest {
  const url = new URL(request.url)
  url.searchParams.delete(name)
  return { ...request, url }
}

/** Without one header. */
export function headless(request: HttpRequest, name: string): HttpRequest {
  const { [name]: _left, ...headers } = request.headers ?? {}
  return { ...request, headers }
}

/** Tests that the suite finds each mistake, with the case that it names. */
export function findMistakes(
  mistakes: Readonly<Record<string, HttpMistake>>,
  makeHarness: (wrap: (http: Http) => Http) => Promise<Harness>,
): void {
  it.each(Object.entries(mistakes))('finds a driver that %s', async (_words, mistake) => {
    const test = CASES.find(({ name }) => name === mistake.foundBy)
    if (!test) throw new Error(`There is no case “${mistake.foundBy}”.`)
    const make = (): Promise<Harness> => makeHarness((http) => withMistake(http, mistake))
    await expect(runCase(test, make, {})).rejects.toThrow()
    // Without the mistake, nothing is found.
    await runCase(test, () => makeHarness((http) => http), {})
  })
}
