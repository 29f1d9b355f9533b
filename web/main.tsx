// First: it declares the order of the layers for every CSS module.
import './styles/app.css'

import { createRoot } from 'react-dom/client'
import { ScreenRouter } from './relay/ScreenRouter.tsx'
import { routes, startNavigation } from './routes.ts'
import workerUrl from './serviceWorker.ts?worker&url'
import { LiveRegion } from './ui/LiveRegion.tsx'
import { Toaster } from './ui/Toaster.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root"')
createRoot(root).render(
  <ScreenRouter navigation={startNavigation()} routes={routes}>
    <Toaster />
    <LiveRegion />
  </ScreenRouter>,
)

// After the first paint, so that it does not compete with the list. Without it everything works except opening without a connection.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => void navigator.serviceWorker.register(workerUrl).catch(() => undefined))
}
