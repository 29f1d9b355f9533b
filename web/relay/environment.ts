import {
  Environment,
  type GraphQLResponse,
  type MissingFieldHandler,
  Network,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime'
import { sayServerChange } from './changes.ts'
import { SessionLostError } from './errors.ts'
import { type Answer, failWithoutData, post, readAnswer, saysSignedOut } from './request.ts'
import { forgetSession, loseSession, sawViewer } from './session.ts'
import { subscribe } from './subscribe.ts'

/** Queries whose result is kept after their screen is left, so that going back shows it at once. */
const KEPT_QUERIES = 20
/** As long as an answer counts: an older one is asked for again when its screen is entered (spec 9). */
const FRESH_MS = 5 * 60_000

/** One record per id: `file(id:)` and `node(id:)` need no request for what the store holds already. */
const byId: MissingFieldHandler = {
  kind: 'linked',
  handle: (field, _record, args) => {
    const id = field.name === 'node' || field.name === 'file' ? args.id : undefined
    return typeof id === 'string' ? id : undefined
  },
}

async function fetchGraphQL(
  params: RequestParameters,
  variables: Variables,
  isCurrent: () => boolean,
): Promise<GraphQLResponse> {
  const response = await post(params, variables, 'application/graphql-response+json, application/json')
  const answer = await readAnswer(response)
  const signedOut = saysSignedOut(answer, response.status)
  // A field that failed also leaves an empty viewer: only an answer without such errors says that nobody is there.
  if (!signedOut) failWithoutData(answer, response.status)
  if (signedOut || (isCurrent() && lostItsViewer(answer))) {
    if (isCurrent()) loseSession()
    throw new SessionLostError('You have been signed out.')
  }
  if (params.operationKind === 'mutation') sayServerChange()
  return answer as GraphQLResponse
}

/** `viewer` was somebody before and is nobody now: the session ended meanwhile. */
function lostItsViewer({ data }: Answer): boolean {
  return data?.viewer !== undefined && !sawViewer(data.viewer !== null)
}

/** Clearing away goes on query by query, each in a task of its own: a long list is never cleared in one go. */
const inPieces = (step: () => void) => void setTimeout(step)

/** Once everything is forgotten, late answers to the one who left say nothing about the session of today. */
function createEnvironment(): Environment {
  const isCurrent = () => current === environment
  const loseIfCurrent = () => {
    if (isCurrent()) loseSession()
  }
  const environment = new Environment({
    network: Network.create(
      (params, variables) => fetchGraphQL(params, variables, isCurrent),
      (params, variables) => subscribe(params, variables, loseIfCurrent),
    ),
    store: new Store(new RecordSource(), {
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

/** Forgets everything that was read: nothing of one person may be seen by the next. Navigate afterwards. */
export function forgetEverything(): void {
  forgetSession()
  current = createEnvironment()
}
