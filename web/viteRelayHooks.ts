import type { Plugin } from 'vite'

const VIRTUAL = '\0react-relay'

/** What the web client uses of react-relay. An import that is missing here fails the build by its name. */
const ENTRY = `
export { graphql, fetchQuery, commitMutation } from 'relay-runtime'
export { default as RelayEnvironmentProvider } from 'react-relay/lib/relay-hooks/RelayEnvironmentProvider'
export { default as useFragment } from 'react-relay/lib/relay-hooks/useFragment'
export { default as useLazyLoadQuery } from 'react-relay/lib/relay-hooks/useLazyLoadQuery'
export { default as useMutation } from 'react-relay/lib/relay-hooks/useMutation'
export { default as usePreloadedQuery } from 'react-relay/lib/relay-hooks/usePreloadedQuery'
export { default as useRelayEnvironment } from 'react-relay/lib/relay-hooks/useRelayEnvironment'
export { default as useSubscription } from 'react-relay/lib/relay-hooks/useSubscription'
import queries from 'react-relay/lib/relay-hooks/loadQuery'
export const loadQuery = queries.loadQuery
`

/** No document of ours has a field that is computed in the browser: nothing to keep or to tell. */
const NO_RESOLVERS = `
const { NoopResolverCache } = require('relay-runtime/lib/store/ResolverCache')
class LiveResolverCache extends NoopResolverCache {
  batchLiveStateUpdates(run) { run() }
  batchLiveStateUpdatesWithoutNotify(run) { run(); return false }
  invalidateDataIDs() {}
  invalidateResolverRecords() {}
  unsubscribeFromLiveResolverRecords() {}
  getLiveResolverPromise() { throw new Error('a live resolver, left out by viteRelayHooks.ts') }
}
const RELAY_RESOLVER_LIVE_STATE_SUBSCRIPTION_KEY = '__resolverLiveStateSubscription'
module.exports = { LiveResolverCache, RELAY_RESOLVER_LIVE_STATE_SUBSCRIPTION_KEY, getUpdatedDataIDs: () => new Set() }
`

/**
 * What both packages bring for documents and calls that the web client has none of: the twin behind a feature flag
 * (ENABLE_ACTIVITY_COMPATIBILITY is on), fields with handles (@connection, @appendEdge, @deleteRecord), @updatable,
 * @inline, `configs` of mutations, pagination, fragments of class components, what normalizes outside an environment,
 * and the observers of fragments outside React. They are empty, so that a use of them fails where it is.
 */
const UNUSED = [
  'react-relay/lib/relay-hooks/useFragmentInternal_CURRENT.js',
  'relay-runtime/lib/handlers/connection/ConnectionHandler.js',
  'relay-runtime/lib/handlers/connection/MutationHandlers.js',
  'relay-runtime/lib/mutations/RelayDeclarativeMutationConfig.js',
  'relay-runtime/lib/mutations/applyOptimisticMutation.js',
  'relay-runtime/lib/mutations/createUpdatableProxy.js',
  'relay-runtime/lib/mutations/readUpdatableFragment.js',
  'relay-runtime/lib/mutations/readUpdatableQuery.js',
  'relay-runtime/lib/network/RelayQueryResponseCache.js',
  'relay-runtime/lib/query/fetchQuery_DEPRECATED.js',
  'relay-runtime/lib/store/NormalizationEngine.js',
  'relay-runtime/lib/store/cloneRelayHandleSourceField.js',
  'relay-runtime/lib/store/cloneRelayScalarHandleSourceField.js',
  'relay-runtime/lib/store/createFragmentSpecResolver.js',
  'relay-runtime/lib/store/observeFragmentExperimental.js',
  'relay-runtime/lib/store/observeQueryExperimental.js',
  'relay-runtime/lib/store/readInlineData.js',
  'relay-runtime/lib/store/waitForFragmentExperimental.js',
  'relay-runtime/lib/util/createPayloadFor3DField.js',
  'relay-runtime/lib/util/getPaginationMetadata.js',
  'relay-runtime/lib/util/getPaginationVariables.js',
  'relay-runtime/lib/util/getRefetchMetadata.js',
]

/** What relay-compiler writes for documents that need one of these parts: they would fail only when their answer comes. */
const NEEDS_UNUSED =
  /"kind": "((?:Linked|Scalar)Handle|InlineDataFragment\w*|UpdatableQuery|Relay(?:Live)?Resolver|ClientEdge\w+|ModuleImport)"/

/**
 * react-relay and relay-runtime are CommonJS, so a bundler keeps all of both. This keeps what we use. @throws Error for
 * a document that needs more
 */
export function relayHooksOnly(): Plugin {
  return {
    name: 'relay-hooks-only',
    enforce: 'pre',
    apply: 'build',
    resolveId: (id) => (id === 'react-relay' ? VIRTUAL : undefined),
    load(id) {
      if (id === VIRTUAL) return ENTRY
      if (id.endsWith('relay-runtime/lib/store/live-resolvers/LiveResolverCache.js')) return NO_RESOLVERS
      return UNUSED.some((path) => id.endsWith(path)) ? 'module.exports = {}' : undefined
    },
    transform: {
      filter: { id: /\.graphql\.ts$/, code: NEEDS_UNUSED },
      handler(code, id) {
        throw new Error(`${id} needs ${NEEDS_UNUSED.exec(code)?.[1]} of Relay, which viteRelayHooks.ts leaves out`)
      },
    },
  }
}
