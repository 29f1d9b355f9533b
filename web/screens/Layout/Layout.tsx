import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Navigate, Outlet, useLocation } from 'react-router'
import type { LayoutQuery } from '../../__generated__/LayoutQuery.graphql.ts'
import { useLive } from '../../features/Live/useLive.ts'
import { TransfersProvider } from '../../features/Transfers/TransfersProvider.tsx'
import { isOverlayOpen, useCommandKeys } from '../../lib/keyboard.ts'
import { sharedMessages } from '../../lib/messages.ts'
import { loginPath } from '../../lib/returnPath.ts'
import { SidebarContext } from '../../lib/sidebarContext.ts'
import buttonStyles from '../../ui/Button.module.css'
import { LoadingPage } from '../../ui/LoadingPage.tsx'
import styles from './Layout.module.css'
import { PaletteSoon } from './PaletteSoon.tsx'
import { Sidebar } from './Sidebar.tsx'
import { useSidebar } from './useSidebar.ts'

type Props = { queryRef: PreloadedQuery<LayoutQuery> }

/** The frame of every protected screen; people who are not signed in are sent to the login page. */
export function Layout({ queryRef }: Props) {
  return (
    <Suspense fallback={<LoadingPage />}>
      <SignedIn queryRef={queryRef} />
    </Suspense>
  )
}

function SignedIn({ queryRef }: Props) {
  const location = useLocation()
  const sidebar = useSidebar()
  const [isFinding, setFinding] = useState(false)
  useCommandKeys({ b: sidebar.toggle, k: () => setFinding(isFinding || !isOverlayOpen()) })
  const { viewer } = usePreloadedQuery<LayoutQuery>(
    graphql`
      query LayoutQuery {
        viewer {
          id
          ...Sidebar_viewer
          ...useStoring_viewer
        }
      }
    `,
    queryRef,
  )
  if (!viewer) return <Navigate to={loginPath(location)} replace />
  return (
    <TransfersProvider viewer={viewer}>
      <Live />
      {isFinding && <PaletteSoon onClose={() => setFinding(false)} />}
      <a className={`${styles.skip} ${buttonStyles.btn}`} href="#content">
        {sharedMessages.common.skipToContent}
      </a>
      <SidebarContext value={sidebar.control}>
        <div className={styles.app}>
          <Sidebar viewer={viewer} state={sidebar} />
          <main className={styles.main} id="content" tabIndex={-1}>
            <Suspense fallback={<LoadingPage />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </SidebarContext>
    </TransfersProvider>
  )
}

function Live() {
  useLive()
  return null
}
