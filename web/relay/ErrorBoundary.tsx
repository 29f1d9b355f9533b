import { Component, type ReactNode } from 'react'
import { LoadingPage } from '../ui/LoadingPage.tsx'
import { isProblemOfPage, ScreenError } from './ScreenError.tsx'

type Props = { onRetry: () => void; children: ReactNode }
type State = { error: unknown; failed: boolean; isRetrying: boolean }

/** A screen that fails again so soon after it was loaded again is not loaded once more. */
const RETRY_EVERY_MS = 30_000
let retriedAt = Number.NEGATIVE_INFINITY

/**
 * Keeps a failure inside one screen. Give it a new key to try again. A failure while drawing is tried again by itself first: data that
 * another part of the page has read can be incomplete for this screen, and loading the screen completes it.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false, isRetrying: false }

  static getDerivedStateFromError(error: unknown): State {
    const isRetrying = isProblemOfPage(error) && performance.now() - retriedAt > RETRY_EVERY_MS
    return { error, failed: true, isRetrying }
  }

  override componentDidCatch(): void {
    if (!this.state.isRetrying) return
    retriedAt = performance.now()
    this.props.onRetry()
  }

  override render() {
    const { failed, error, isRetrying } = this.state
    if (!failed) return this.props.children
    if (isRetrying) return <LoadingPage />
    return <ScreenError error={error} onRetry={this.props.onRetry} />
  }
}
