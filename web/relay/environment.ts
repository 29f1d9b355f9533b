import {
  Environment,
  type GraphQLResponse,
  type MissingFieldHandler,
  Network,
  type OperationAvailability,
  type OperationDescriptor,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime'
import { announce } from '../lib/announce.ts'
import { sayServerChange } from './changes.ts'
import { SessionLostError } from './errors.ts'
import { withMutationKey } from './mutationKeys.ts'
import { type Answer, failWithoutData, post, readAnswer, saysSignedOut } from './request.ts'
import { forgetSession, loseSession, sawViewer } from './session.ts'
import { subscribe } from './subscribe.ts'

/** Queries whose result is kept after their screen is left, so that going back shows it at once. */
const KEPT_QUERIES = 20
/** How long a response is fresh: an older one is fetched again when its screen is entered (spec 9). */
const FRESH_MS = 5 * 60_000

/** One record per id: `file(id:)` and `node(id:)` need no request for records that the store has. */
const byId: MissingFieldHandler = {
  kind: 'linked',
  handle: (field, _record, args) => {
    const id = field.name === 'node' || field.name === 'file' ? args.id : undefined
    return typeof id === 'string' ? id : undefined
  },
}

/** How many mutations were answered. */
let mutationsAnswered = 0
/** A page on which something is changed all the time still gets its answer. */
const MOST_ATTEMPTS = 3

/** A query that was sent before a mutation was answered can hold what the mutation has replaced, and is sent again. */
async function fetchCurrent(
  params: RequestParameters,
  variables: Variables,
  isCurrent: () => boolean,
): Promise<GraphQLResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const before = mutationsAnswered
    const answer = await fetchGraphQL(params, variables, isCurrent)
    if (params.operationKind === 'mutation') mutationsAnswered += 1
    else if (before !== mutationsAnswered && attempt < MOST_ATTEMPTS && isCurrent()) continue
    return answer
  }
}

async function fetchGraphQL(
  params: RequestParameters,
  variables: Variables,
  isCurrent: () => boolean,
): Promise<GraphQLResponse> {
  const ask = (key?: string) => send(params, variables, key)
  const isMutation = params.operationKind === 'mutation'
  const { answer, signedOut } = isMutation ? await withMutationKey(params, variables, ask) : await ask()
  if (signedOut || (isCurrent() && lostItsViewer(answer))) {
    if (isCurrent()) loseSession()
    throw new SessionLostError('You have been signed out.')
  }
  if (isMutation) sayServerChange()
  return answer as GraphQLResponse
}

/** @throws UnreachableError, ServerError */
async function send(params: RequestParameters, variables: Variables, key?: string) {
  const accept = 'application/graphql-response+json, application/json'
  const response = await post(params, variables, accept, { ...(key && { key }) })
  const answer = await readAnswer(response)
  const signedOut = saysSignedOut(answer, response.status)
  // A field that failed also leaves an empty viewer: only a response without such errors means that no one is signed
  // in.
  if (!signedOut) failWithoutData(answer, response.status)
  return { answer, signedOut }
}

/** `viewer` was set before and is null now: the session has ended. */
function lostItsViewer({ data }: Answer): boolean {
  return data?.viewer !== undefined && !sawViewer(data.viewer !== null)
}

/** Garbage collection runs query by query, each in a separate task, so that a long list never blocks the page. */
const inPieces = (step: () => void) => void setTimeout(step)

/** Queries whose times are kept. */
const KEPT_TIMES = 500

/**
 * Relay forgets how old an answer is when a screen with an old one is left, before it removes the data: who comes back in between would be
 * shown it as if it were fresh, and so at every later time. This store remembers.
 */
class TimedStore extends Store {
  readonly #fetchedAt = new Map<string, number>()

  override notify(source?: OperationDescriptor, invalidateStore?: boolean) {
    if (source?.request.node.params.operationKind === 'query') {
      const { identifier } = source.request
      this.#fetchedAt.delete(identifier)
      this.#fetchedAt.set(identifier, Date.now())
      const [oldest] = this.#fetchedAt.keys()
      if (this.#fetchedAt.size > KEPT_TIMES && oldest !== undefined) this.#fetchedAt.delete(oldest)
    }
    return super.notify(source, invalidateStore)
  }

  override check(...given: Parameters<Store['check']>): OperationAvailability {
    const found = super.check(...given)
    if (found.status !== 'available' || found.fetchTime !== null) return found
    const fetchedAt = this.#fetchedAt.get(given[0].request.identifier)
    return fetchedAt === undefined || fetchedAt > Date.now() - FRESH_MS ? found : { status: 'stale' }
  }
}

/** After a reset, late responses of the previous session are ignored. */
function createEnvironment(): Environment {
  const isCurrent = () => current === environment
  const loseIfCurrent = () => {
    if (isCurrent()) loseSession()
  }
  const environment = new Environment({
    network: Network.create(
      (params, variables) => fetchCurrent(params, variables, isCurrent),
      (params, variables) => subscribe(params, variables, loseIfCurrent),
    ),
    store: new TimedStore(new RecordSource(), {
      gcReleaseBufferSize: KEPT_QUERIES,
      gcScheduler: inPieces,
      queryCacheExpirationTime: FRESH_MS,
    }),
    missingFieldHandlers: [byId],
  })
  return environment
}

let current = createEnvironment()

/** The environment that new queries use. Components take it from their context. */
export const currentEnvironment = (): Environment => current

/** Discards the whole store and what was announced last, so that no data of one user reaches the next. Navigate afterwards. */
export function forgetEverything(): void {
  forgetSession()
  current = createEnvironment()
  announce('')
}
