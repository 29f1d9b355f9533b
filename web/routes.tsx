import { RelayEnvironmentProvider } from 'react-relay'
import { createBrowserRouter, Outlet, type RouteObject, redirect, useLoaderData } from 'react-router'
import type { Environment } from 'relay-runtime'
import { loginPath } from './lib/returnPath.ts'
import { currentEnvironment, forgetEverything } from './relay/environment.ts'
import { RouteError } from './relay/RouteError.tsx'
import { handleSessionLost, hearOtherTabs } from './relay/session.ts'
import { filesRoutes } from './screens/Files/Files.route.ts'
import { layoutRoute } from './screens/Layout/Layout.route.ts'
import { loginRoute } from './screens/Login/Login.route.ts'
import { LiveRegion } from './ui/LiveRegion.tsx'
import { LoadingPage } from './ui/LoadingPage.tsx'
import { Toaster } from './ui/Toaster.tsx'

/** Every screen of the web client. Code and data of a screen load together, when it is entered. */
const routes: RouteObject[] = [
  {
    path: '/',
    loader: () => currentEnvironment(),
    shouldRevalidate: () => true,
    Component: Root,
    ErrorBoundary: RouteError,
    HydrateFallback: LoadingPage,
    children: [
      { index: true, loader: () => redirect('/file-manager') },
      loginRoute,
      {
        path: 'register',
        lazy: async () => ({ Component: (await import('./screens/Register/Register.tsx')).Register }),
      },
      {
        path: 'privacy-policy',
        lazy: async () => ({ Component: (await import('./screens/PrivacyPolicy/PrivacyPolicy.tsx')).PrivacyPolicy }),
      },
      layoutRoute([
        ...filesRoutes,
        { path: '*', lazy: async () => ({ Component: (await import('./screens/NotFound/NotFound.tsx')).NotFound }) },
      ]),
    ],
  },
]

/** The environment of the data on screen: after a sign-out every screen gets the new, empty one with its navigation. */
function Root() {
  return (
    <RelayEnvironmentProvider environment={useLoaderData<Environment>()}>
      <Outlet />
      <Toaster />
      <LiveRegion />
    </RelayEnvironmentProvider>
  )
}

/** The router of the page, tied to the session: whoever is no longer signed in, here or in another tab, goes to the login page. */
export function createRouter() {
  const router = createBrowserRouter(routes)
  const leave = (to: string) => {
    forgetEverything()
    void router.navigate(to)
  }
  handleSessionLost(() => leave(loginPath(router.state.location)))
  hearOtherTabs((news) => {
    // Another person may have signed in: what this tab holds is not theirs.
    if (news.kind === 'signedIn') window.location.reload()
    else leave('/login')
  })
  return router
}
