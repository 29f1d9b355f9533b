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

/** Behind a feature flag (ENABLE_ACTIVITY_COMPATIBILITY) that relay-runtime sets; its twin does the work. */
const UNUSED = /useFragmentInternal_CURRENT\.js$/

/** react-relay is CommonJS, so a bundler keeps all of it: containers of old and experiments, 12 kB gzipped. This keeps the hooks that we use. */
export function relayHooksOnly(): Plugin {
  return {
    name: 'relay-hooks-only',
    enforce: 'pre',
    apply: 'build',
    resolveId: (id) => (id === 'react-relay' ? VIRTUAL : undefined),
    load(id) {
      if (id === VIRTUAL) return ENTRY
      return UNUSED.test(id) ? 'module.exports = null' : undefined
    },
  }
}
