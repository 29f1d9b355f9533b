import {
  createContext,
  Suspense,
  startTransition,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { RelayEnvironmentProvider } from 'react-relay'
import { type RouteObject, Router, useRoutes } from 'react-router'
import { LoadingPage } from '../ui/LoadingPage.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import type { Entered, Navigation, Place, ScreenRoute } from './navigation.ts'

const PlaceContext = createContext<Place | null>(null)

type Props = { navigation: Navigation; routes: readonly ScreenRoute[]; children: React.ReactNode }

/** Renders the screens of the current address; `children` are rendered next to them on every screen. */
export function ScreenRouter({ navigation, routes, children }: Props) {
  const [place, setPlace] = useState(navigation.current)
  useLayoutEffect(() => {
    setPlace(navigation.current())
    return navigation.subscribe((next) => startTransition(() => setPlace(next)))
  }, [navigation])
  return (
    <RelayEnvironmentProvider environment={place.environment}>
      <Router location={place.location} navigator={navigation.navigator}>
        <PlaceContext value={place}>
          <Screens routes={routes} onRetry={navigation.retry} />
          {children}
        </PlaceContext>
      </Router>
    </RelayEnvironmentProvider>
  )
}

type OnRetry = Navigation['retry']

function Screens({ routes, onRetry }: { routes: readonly ScreenRoute[]; onRetry: OnRetry }) {
  return useRoutes(useMemo(() => routes.map((route) => toElement(route, onRetry)), [routes, onRetry]))
}

function toElement(route: ScreenRoute, onRetry: OnRetry): RouteObject {
  const children = route.children?.map((child) => toElement(child, onRetry))
  const element = route.component && <Slot route={route} onRetry={onRetry} />
  return {
    ...(route.path !== undefined && { path: route.path }),
    ...(element && { element }),
    ...(children && { children }),
  }
}

/** The boundary of one screen: its errors and its suspending stay inside, and every visit starts fresh. */
function Slot({ route, onRetry }: { route: ScreenRoute; onRetry: OnRetry }) {
  const place = use(PlaceContext)
  const entered = place?.entered.get(route)
  const [keys] = useState(() => new WeakMap<Entered, number>())
  const retry = useCallback((isWhole: boolean) => onRetry(isWhole ? null : route), [onRetry, route])
  if (!entered) return null
  if (!keys.has(entered)) keys.set(entered, nextKey++)
  return (
    <ErrorBoundary key={keys.get(entered)} about={place?.location} onRetry={retry}>
      <Suspense fallback={<LoadingPage />}>
        <Screen entered={entered} />
      </Suspense>
    </ErrorBoundary>
  )
}

let nextKey = 0

function Screen({ entered }: { entered: Entered }) {
  const { code, queryRef } = entered
  if (!code) throw new Error('A route needs a component')
  const Component = use(code)
  useEffect(() => {
    entered.mounted = true
    return () => entered.queryRef?.dispose()
  }, [entered])
  // A route without a query has a screen without props.
  return <Component {...(queryRef ? { queryRef } : ({} as { queryRef: never }))} />
}
