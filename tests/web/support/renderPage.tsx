import { configure, render } from '@testing-library/react'
import { type ReactNode, Suspense } from 'react'
import { RelayEnvironmentProvider } from 'react-relay'
import { MemoryRouter } from 'react-router'
import { createMockEnvironment } from 'relay-test-utils'
import { vi } from 'vitest'
import { TransfersProvider } from '../../../web/features/Transfers/TransfersProvider.tsx'
import { LiveRegion } from '../../../web/ui/LiveRegion.tsx'
import { Toaster } from '../../../web/ui/Toaster.tsx'

// Parts of the page are loaded when they are first needed, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 6000 })
vi.setConfig({ testTimeout: 20_000 })

/** Renders `children` as a signed-in page does: Relay, router, transfers, toasts and live region around them. */
export function renderPage(children: ReactNode) {
  const environment = createMockEnvironment()
  const view = render(
    <RelayEnvironmentProvider environment={environment}>
      <MemoryRouter>
        <TransfersProvider userId="user_1">
          <Suspense fallback="Waiting for data">{children}</Suspense>
        </TransfersProvider>
      </MemoryRouter>
      <Toaster />
      <LiveRegion />
    </RelayEnvironmentProvider>,
  )
  return { ...view, environment }
}

/** Sets the page's address, so that relative requests go to a server of the test. */
export function setPageUrl(url: string): void {
  ;(window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(url)
}

/** As if the window were that wide. */
export function setMobile(isMobile: boolean): void {
  ;(window as unknown as { happyDOM: { setViewport: (size: object) => void } }).happyDOM.setViewport({
    width: isMobile ? 390 : 1440,
    height: 844,
  })
}
