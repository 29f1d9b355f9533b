import { loginPath, SESSION_ENDED } from './lib/returnPath.ts'
import { forgetEverything } from './relay/environment.ts'
import { createNavigation, type ScreenRoute } from './relay/navigation.ts'
import { handleSessionLost, hearOtherTabs } from './relay/session.ts'
import { cloudIntegrationRoute } from './screens/CloudIntegration/CloudIntegration.route.ts'
import { dashboardRoute } from './screens/Dashboard/Dashboard.route.ts'
import { duplicatesRoute } from './screens/Duplicates/Duplicates.route.ts'
import { filesRoutes } from './screens/Files/Files.route.ts'
import { forgotPasswordRoute } from './screens/ForgotPassword/ForgotPassword.route.ts'
import { groupCloudsRoute } from './screens/GroupClouds/GroupClouds.route.ts'
import { keysRoute } from './screens/Keys/Keys.route.ts'
import { layoutRoute } from './screens/Layout/Layout.route.ts'
import { loginRoute } from './screens/Login/Login.route.ts'
import { registerRoute } from './screens/Register/Register.route.ts'
import { settingsRoute } from './screens/Settings/Settings.route.ts'
import { shareRoute } from './screens/Share/Share.route.ts'

/** The public page of an upload link. */
const sendFilesRoute: ScreenRoute = {
  path: '/upload/:linkId',
  component: async () => (await import('./screens/SendFiles/SendFiles.tsx')).SendFiles,
}

/** Every screen of the web client. Unknown paths are handled behind the session check. */
export const routes: readonly ScreenRoute[] = [
  { path: '/', redirectTo: '/file-manager' },
  loginRoute,
  forgotPasswordRoute,
  {
    path: '/reset-password',
    component: async () => (await import('./screens/ResetPassword/ResetPassword.tsx')).ResetPassword,
  },
  registerRoute,
  {
    path: '/privacy-policy',
    component: async () => (await import('./screens/PrivacyPolicy/PrivacyPolicy.tsx')).PrivacyPolicy,
  },
  {
    path: '/oauth/:service/callback',
    component: async () => (await import('./screens/OAuthCallback/OAuthCallback.tsx')).OAuthCallback,
  },
  shareRoute,
  sendFilesRoute,
  layoutRoute([
    ...filesRoutes,
    { path: '/file-manager/room', component: async () => (await import('./screens/Room/Room.tsx')).Room },
    dashboardRoute,
    duplicatesRoute,
    cloudIntegrationRoute,
    groupCloudsRoute,
    keysRoute,
    settingsRoute,
    {
      path: '/share-target',
      component: async () => (await import('./screens/ReceivedFiles/ReceivedFiles.tsx')).ReceivedFiles,
    },
    {
      path: '/docs/graphql',
      component: async () => (await import('./screens/GraphqlExplorer/GraphqlExplorer.tsx')).GraphqlExplorer,
    },
    { path: '*', component: async () => (await import('./screens/NotFound/NotFound.tsx')).NotFound },
  ]),
]

/**
 * The page's navigation, tied to the session: whoever is no longer signed in, here or in another tab, goes to the
 * login page.
 */
export function startNavigation() {
  const navigation = createNavigation(routes)
  const leave = (to: string, state?: object) => {
    forgetEverything()
    navigation.navigator.push(to, state)
  }
  handleSessionLost(() => leave(loginPath(navigation.current().location), SESSION_ENDED))
  hearOtherTabs((news) => {
    // The page of a link is the same for every visitor.
    const { entered } = navigation.current()
    if (entered.has(shareRoute) || entered.has(sendFilesRoute)) return
    // Another user may have signed in: the data of this tab is not theirs.
    if (news.kind === 'signedIn') window.location.reload()
    else leave('/login', SESSION_ENDED)
  })
  return navigation
}
