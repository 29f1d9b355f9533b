import { type ComponentType, useEffect } from 'react'
import { loadQuery, type PreloadedQuery } from 'react-relay'
import {
  type LoaderFunctionArgs,
  type RouteObject,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
} from 'react-router'
import type { ConcreteRequest, OperationType, VariablesOf } from 'relay-runtime'
import { currentEnvironment } from './environment.ts'

type QueryRoute<TQuery extends OperationType> = {
  path?: string
  /** The compiled query, imported from __generated__. */
  query: ConcreteRequest
  variables: (args: LoaderFunctionArgs) => VariablesOf<TQuery>
  /** The screen's code; it starts to load at the same moment as the query. */
  component: () => Promise<ComponentType<{ queryRef: PreloadedQuery<TQuery> }>>
}

type Loaded<TQuery extends OperationType> = { queryRef: PreloadedQuery<TQuery> }

/** Spread it into a route: code and data start together when the route is entered, and again when it is retried. */
export function routeQuery<TQuery extends OperationType>(route: QueryRoute<TQuery>) {
  return {
    ...(route.path !== undefined && { path: route.path }),
    loader: (args: LoaderFunctionArgs): Loaded<TQuery> => ({
      queryRef: loadQuery<TQuery>(currentEnvironment(), route.query, route.variables(args)),
    }),
    shouldRevalidate,
    lazy: async () => {
      const Screen = await route.component()
      return { Component: () => <LoadedScreen<TQuery> screen={Screen} /> }
    },
  } satisfies RouteObject
}

/** Data is read again when the route's own parameters change or when a retry asks for it; the store hears of the rest. */
function shouldRevalidate({ currentUrl, nextUrl, currentParams, nextParams }: ShouldRevalidateFunctionArgs): boolean {
  return currentUrl.href === nextUrl.href || JSON.stringify(currentParams) !== JSON.stringify(nextParams)
}

type ScreenProps<TQuery extends OperationType> = { screen: ComponentType<{ queryRef: PreloadedQuery<TQuery> }> }

function LoadedScreen<TQuery extends OperationType>({ screen: Screen }: ScreenProps<TQuery>) {
  const { queryRef } = useLoaderData() as Loaded<TQuery>
  useEffect(() => () => queryRef.dispose(), [queryRef])
  return <Screen queryRef={queryRef} />
}
