import { type ConcreteRequest, createOperationDescriptor, type GraphQLResponse } from 'relay-runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentEnvironment } from '../../web/relay/environment.ts'

type Asked = { readonly name: string; readonly answer: (data: object) => void }

let asked: Asked[]

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    const { operationName } = JSON.parse(body) as { operationName: string }
    return new Promise((resolve) => {
      asked.push({ name: operationName, answer: (data) => resolve(Response.json({ data })) })
    })
  })
})
afterEach(() => vi.unstubAllGlobals())

function execute(operationKind: 'query' | 'mutation', name: string): Promise<GraphQLResponse | undefined> {
  const params = { operationKind, name, id: name, cacheID: name, text: null, metadata: {} }
  return currentEnvironment().getNetwork().execute(params, {}, {}).toPromise()
}

/** The request that is sent next. */
const nextOf = (count: number) => vi.waitUntil(() => asked[count - 1])

it('an answer from before a change is not shown after it: the query is sent again', async () => {
  const list = execute('query', 'list')
  const star = execute('mutation', 'star')
  const [query, mutation] = [await nextOf(1), await nextOf(2)]
  mutation.answer({ starred: true })
  await star
  query.answer({ starred: false })
  const again = await nextOf(3)
  expect(again.name).toBe('list')
  again.answer({ starred: true })
  expect(await list).toMatchObject({ data: { starred: true } })
})

it('an answer that came before the change, or was asked for after it, is shown at once', async () => {
  const before = execute('query', 'before')
  ;(await nextOf(1)).answer({ at: 'before' })
  expect(await before).toMatchObject({ data: { at: 'before' } })
  const star = execute('mutation', 'star')
  ;(await nextOf(2)).answer({})
  await star
  const after = execute('query', 'after')
  ;(await nextOf(3)).answer({ at: 'after' })
  expect(await after).toMatchObject({ data: { at: 'after' } })
  expect(asked).toHaveLength(3)
})

it('changes without end leave the last answer: it is asked for three times at most', async () => {
  const list = execute('query', 'list')
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const query = await nextOf(2 * attempt - 1)
    const change = execute('mutation', 'change')
    ;(await nextOf(2 * attempt)).answer({})
    await change
    query.answer({ attempt })
  }
  expect(await list).toMatchObject({ data: { attempt: 3 } })
})

it('an answer that was already old when its screen was left is asked for again, also right after', async () => {
  const field = { kind: 'ScalarField', alias: null, args: null, name: 'color', storageKey: null } as const
  const params = {
    operationKind: 'query',
    name: 'color',
    id: 'color',
    cacheID: 'color',
    text: null,
    metadata: {},
  } as const
  const definition = { name: 'color', argumentDefinitions: [], selections: [field] } as const
  const query: ConcreteRequest = {
    kind: 'Request',
    fragment: { kind: 'Fragment', type: 'Query', metadata: null, abstractKey: null, ...definition },
    operation: { kind: 'Operation', ...definition },
    params,
  }
  const environment = currentEnvironment()
  const operation = createOperationDescriptor(query, {})
  const status = () => environment.check(operation).status
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  try {
    const screen = environment.retain(operation)
    const answered = environment.execute({ operation }).toPromise()
    ;(await nextOf(1)).answer({ color: 'blue' })
    await answered
    expect(status()).toBe('available')
    vi.setSystemTime(6 * 60_000)
    screen.dispose()
    expect(status()).toBe('stale')
    const back = environment.retain(operation)
    expect(status()).toBe('stale')
    const again = environment.execute({ operation }).toPromise()
    ;(await nextOf(2)).answer({ color: 'green' })
    await again
    expect(status()).toBe('available')
    back.dispose()
  } finally {
    vi.useRealTimers()
  }
})
