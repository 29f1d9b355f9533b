import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentEnvironment } from '../../web/relay/environment.ts'
import { ServerError, UnreachableError } from '../../web/relay/errors.ts'

type Answer = () => Response | Promise<Response>
type Sent = { readonly name: string; readonly key: string | undefined }

let sent: Sent[]
let answers: Answer[]

beforeEach(() => {
  sent = []
  answers = []
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  vi.stubGlobal('fetch', async (_url: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
    sent.push({ name: JSON.parse(body).operationName, key: headers['idempotency-key'] })
    return answers.shift()?.()
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const done: Answer = () => Response.json({ data: { done: true } })
const lost: Answer = () => Promise.reject(new TypeError('Failed to fetch'))
const restarting: Answer = () =>
  Response.json({ code: 'NOT_READY', detail: 'This server is shutting down.' }, { status: 503 })
const refused: Answer = () => Response.json({ errors: [{ message: 'No.', extensions: { code: 'CONFLICT' } }] })
const cutOff: Answer = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"data": {"do'))
        controller.error(new TypeError('network error'))
      },
    }),
  )

function run(kind: 'query' | 'mutation', name: string, variables: object = {}): Promise<unknown> {
  const params = { operationKind: kind, name, id: name, cacheID: name, text: null, metadata: {} }
  return currentEnvironment().getNetwork().execute(params, variables, {}).toPromise()
}
const keys = () => sent.map(({ key }) => key)

it.each([
  ['lost', lost, UnreachableError],
  ['cut off', cutOff, UnreachableError],
  ['one of a server that restarts', restarting, ServerError],
])('a mutation whose answer was %s is sent again with the same key', async (_, answer, Expected) => {
  answers = [answer, answer, done, done]
  const input = { input: { name: 'Plans' } }
  await expect(run('mutation', 'make', input)).rejects.toThrow(Expected)
  await expect(run('mutation', 'make', input)).rejects.toThrow(Expected)
  await run('mutation', 'make', input)
  const [first, second, third] = keys()
  expect(first).toMatch(/^\d+-\d+-\d+-\d+$/)
  expect([second, third]).toEqual([first, first])
  // What is asked for once more after the answer is a second one.
  await run('mutation', 'make', input)
  expect(keys()[3]).not.toBe(first)
})

it('another mutation, one that was refused, and one that is sent long after have new keys; queries have none', async () => {
  answers = [lost, done, refused, done, lost, done, done]
  await expect(run('mutation', 'make', { name: 'A' })).rejects.toThrow(UnreachableError)
  await run('mutation', 'make', { name: 'B' })
  await expect(run('mutation', 'make', { name: 'C' })).rejects.toThrow('No.')
  await run('mutation', 'make', { name: 'C' })
  await expect(run('mutation', 'make', { name: 'D' })).rejects.toThrow(UnreachableError)
  vi.setSystemTime(5 * 60_000 + 1)
  await run('mutation', 'make', { name: 'D' })
  expect(new Set(keys()).size).toBe(6)
  await run('query', 'list')
  expect(sent.at(-1)).toEqual({ name: 'list', key: undefined })
})
