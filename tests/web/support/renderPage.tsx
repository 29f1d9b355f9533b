import { render } from '@testing-library/react'
import { type ReactNode, Suspense } from 'react'
import { RelayEnvironmentProvider } from 'react-relay'
import { MemoryRouter } from 'react-router'
import { createOperationDescriptor, type IEnvironment } from 'relay-runtime'
import { createMockEnvironment } from 'relay-test-utils'
import type { useStoring_viewer$key } from '../../../web/__generated__/useStoring_viewer.graphql.ts'
import refreshQuery from '../../../web/__generated__/useStoringRefreshQuery.graphql.ts'
import { TransfersProvider } from '../../../web/features/Transfers/TransfersProvider.tsx'
import { LiveRegion } from '../../../web/ui/LiveRegion.tsx'
import { Toaster } from '../../../web/ui/Toaster.tsx'

/** Renders `children` as a signed-in page does: Relay, router, transfers, toasts and live region around them. */
export function renderPage(children: ReactNode) {
  const environment = createMockEnvironment()
  return { ...renderOn(environment, children), environment }
}

/** The same on an environment of the test's own. */
export function renderOn(environment: IEnvironment, children: ReactNode) {
  return render(
    <RelayEnvironmentProvider environment={environment}>
      <MemoryRouter>
        <TransfersProvider viewer={viewerOf(environment)}>
          <Suspense fallback="Waiting for data">{children}</Suspense>
        </TransfersProvider>
      </MemoryRouter>
      <Toaster />
      <LiveRegion />
    </RelayEnvironmentProvider>,
  )
}

/** A signed-in person whose accounts are all up to date. */
function viewerOf(environment: IEnvironment): useStoring_viewer$key & { id: string } {
  const operation = createOperationDescriptor(refreshQuery, {})
  environment.commitPayload(operation, { viewer: { __typename: 'User', id: 'user_1', transfers: [], jobs: [] } })
  const { viewer } = environment.lookup(operation.fragment).data as unknown as { viewer: useStoring_viewer$key }
  return { ...viewer, id: 'user_1' }
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
