import type { ComponentType } from 'react'
import type { PreloadedQuery } from 'react-relay'
import {
  createPath,
  type Location,
  matchRoutes,
  type NavigateOptions,
  parsePath,
  type RouteObject,
  type To,
} from 'react-router'
import type { Environment, OperationType } from 'relay-runtime'
import { currentEnvironment } from './environment.ts'

export type ScreenProps<TQuery extends OperationType = OperationType> = { queryRef: PreloadedQuery<TQuery> }

/** A place in the app. Its code and its query start together, at the moment the place is entered. */
export type ScreenRoute = {
  /** As React Router's, relative to the parent. */
  readonly path?: string
  /** Loads the code. A route without it only groups its children. */
  // biome-ignore lint/suspicious/noExplicitAny: each screen has the props of its query; routeQuery checks them
  readonly component?: () => Promise<ComponentType<any>>
  /** Starts the query for this address. */
  readonly start?: (url: URL, environment: Environment) => PreloadedQuery<OperationType>
  readonly redirectTo?: string
  readonly children?: readonly ScreenRoute[]
}

/** A screen that was entered: its code and data are loading or loaded. */
export type Entered = {
  readonly pathname: string
  readonly code: Promise<ComponentType<ScreenProps>> | null
  readonly queryRef: PreloadedQuery<OperationType> | null
  /** Set once it is on the page; from then on the page disposes of its query. */
  mounted: boolean
}

export type Place = {
  readonly location: Location
  readonly environment: Environment
  readonly entered: ReadonlyMap<ScreenRoute, Entered>
}

/** A step back that has not come by then is not coming: there was no place to go back to. */
const LONGEST_STEP_MS = 1_000

export type Navigation = ReturnType<typeof createNavigation>

/**
 * The browser's history, tied to the routes. React Router's own data router does this too, and much more, at 18 kB
 * gzipped; its components and hooks run on the `navigator` of this one.
 */
export function createNavigation(routes: readonly ScreenRoute[]) {
  const listeners = new Set<(place: Place) => void>()
  let place = enter(routes, readLocation(), null)

  const arrive = (previous: Place | null) => {
    const next = enter(routes, readLocation(), previous)
    forgetUnseen(place, next)
    place = next
    for (const listener of listeners) listener(next)
  }
  // The browser goes back some time after the call. Changes of the address wait until then: otherwise the step back would undo them.
  let waiting: (() => void)[] | null = null
  let longest: ReturnType<typeof setTimeout> | undefined
  const writeWaiting = () => {
    const writes = waiting ?? []
    waiting = null
    clearTimeout(longest)
    for (const write of writes) write()
  }
  const write = (method: 'pushState' | 'replaceState') => (to: To, state?: unknown, options?: NavigateOptions) => {
    if (waiting) {
      waiting.push(() => write(method)(to, state, options))
      return
    }
    window.history[method]({ usr: state ?? options?.state ?? null, key: newKey() }, '', hrefOf(to))
    arrive(place)
  }
  window.addEventListener('popstate', () => {
    arrive(place)
    writeWaiting()
  })

  return {
    current: () => place,
    /** Returns a function that unsubscribes. */
    subscribe(listener: (place: Place) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /**
     * Enters this screen of the current address again, and those inside it, with new queries. Those around it stay as they are; null: all
     * are entered again.
     */
    retry: (route: ScreenRoute | null) =>
      arrive(route === null ? null : { ...place, entered: around(place.entered, route) }),
    navigator: {
      createHref: hrefOf,
      go: (delta: number) => {
        waiting ??= []
        clearTimeout(longest)
        longest = setTimeout(writeWaiting, LONGEST_STEP_MS)
        window.history.go(delta)
      },
      push: write('pushState'),
      replace: write('replaceState'),
    },
  }
}

function enter(routes: readonly ScreenRoute[], wanted: Location, previous: Place | null): Place {
  const matches = match(routes, wanted)
  const redirectTo = matches.at(-1)?.route.redirectTo
  if (redirectTo) {
    window.history.replaceState({ usr: null, key: newKey() }, '', redirectTo)
    return enter(routes, readLocation(), previous)
  }
  const environment = currentEnvironment()
  const kept = previous?.environment === environment ? previous.entered : null
  const entered = new Map<ScreenRoute, Entered>()
  for (const { route, pathname } of matches) {
    const before = kept?.get(route)
    entered.set(route, before?.pathname === pathname ? before : start(route, pathname, environment))
  }
  return { location: wanted, environment, entered }
}

/** React Router only reads `path` and `children`, and hands our own routes back. */
function match(routes: readonly ScreenRoute[], location: Location) {
  const found = matchRoutes(routes as unknown as RouteObject[], location) ?? []
  return found as unknown as readonly { route: ScreenRoute; pathname: string }[]
}

function start(route: ScreenRoute, pathname: string, environment: Environment): Entered {
  const code = route.component?.() ?? null
  // Shown by the screen's error boundary; without this the browser would also report it as unhandled.
  code?.catch(() => undefined)
  const queryRef = route.start?.(new URL(window.location.href), environment) ?? null
  return { pathname, code, queryRef, mounted: false }
}

/** What was entered before this screen, from the outside to the inside. */
function around(entered: Place['entered'], route: ScreenRoute): Place['entered'] {
  const all = [...entered]
  const at = all.findIndex(([each]) => each === route)
  return new Map(at < 0 ? [] : all.slice(0, at))
}

/** Screens that were left before they were shown: their queries are disposed of only here. */
function forgetUnseen(left: Place, next: Place): void {
  for (const [route, entered] of left.entered) {
    if (!entered.mounted && next.entered.get(route) !== entered) entered.queryRef?.dispose()
  }
}

function readLocation(): Location {
  const { pathname, search, hash } = window.location
  const state = window.history.state as { usr?: unknown; key?: string } | null
  return { pathname, search, hash, state: state?.usr ?? null, key: state?.key ?? 'default' }
}

const hrefOf = (to: To): string => (typeof to === 'string' ? createPath(parsePath(to)) : createPath(to))

const newKey = () => Math.random().toString(36).slice(2, 10)
