import { act, render } from '@testing-library/react'
import { forgetEverything } from '../../../web/relay/environment.ts'
import { ScreenRouter } from '../../../web/relay/ScreenRouter.tsx'
import { routes, startNavigation } from '../../../web/routes.ts'
import { LiveRegion } from '../../../web/ui/LiveRegion.tsx'
import { Toaster } from '../../../web/ui/Toaster.tsx'
import { setPageUrl } from './renderPage.tsx'

/** The whole web client at an address, as main.tsx starts it. */
export async function renderApp(url: string) {
  setPageUrl(url)
  forgetEverything()
  const navigation = startNavigation()
  // Screens wait for their code: only an awaited act lets them go on.
  await act(async () => {
    render(
      <ScreenRouter navigation={navigation} routes={routes}>
        <Toaster />
        <LiveRegion />
      </ScreenRouter>,
    )
  })
  return { navigation }
}
