import type { ComponentType } from 'react'
import { loadQuery } from 'react-relay'
import type { ConcreteRequest, OperationType, VariablesOf } from 'relay-runtime'
import type { ScreenProps, ScreenRoute } from './navigation.ts'

type QueryRoute<TQuery extends OperationType> = {
  path?: string
  /** The compiled query, imported from __generated__. */
  query: ConcreteRequest
  variables: (url: URL) => VariablesOf<TQuery>
  component: () => Promise<ComponentType<ScreenProps<TQuery>>>
}

/** A route whose screen reads one query. The store answers what it holds; the rest is fetched. */
export function routeQuery<TQuery extends OperationType>({ path, query, variables, component }: QueryRoute<TQuery>) {
  return {
    ...(path !== undefined && { path }),
    component,
    start: (url, environment) => loadQuery<OperationType>(environment, query, variables(url)),
  } satisfies ScreenRoute
}
