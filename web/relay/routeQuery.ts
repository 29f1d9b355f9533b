import type { ComponentType } from 'react'
import { loadQuery } from 'react-relay'
import type { ConcreteRequest, OperationType, PreloadableConcreteRequest, VariablesOf } from 'relay-runtime'
import type { ScreenProps, ScreenRoute } from './navigation.ts'

type QueryRoute<TQuery extends OperationType> = {
  path?: string
  /**
   * The compiled query, imported from __generated__; or, for a @preloadable one, what its request needs: the rest then
   * comes with the screen's code, while the answer is on its way.
   */
  query: ConcreteRequest | PreloadableConcreteRequest<TQuery>
  variables: (url: URL) => VariablesOf<TQuery>
  component: () => Promise<ComponentType<ScreenProps<TQuery>>>
}

/** A route whose screen reads one query. The store answers what it holds; the rest is fetched. */
export function routeQuery<TQuery extends OperationType>({ path, query, variables, component }: QueryRoute<TQuery>) {
  return {
    ...(path !== undefined && { path }),
    component,
    start: (url, environment) => loadQuery<OperationType>(environment, query as ConcreteRequest, variables(url)),
  } satisfies ScreenRoute
}
