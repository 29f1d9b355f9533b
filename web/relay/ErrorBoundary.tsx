import { Component, type ReactNode } from 'react'
import { nextRetryKey, RetryKey } from '../lib/retryKey.ts'
import { LoadingPage } from '../ui/LoadingPage.tsx'
import { isProblemOfPage, ScreenError } from './ScreenError.tsx'

type Props = {
  /** Loads the screen again; `isWhole`: with everything around it, which may have read the data that is incomplete. */
  onRetry: (isWhole: boolean) => void
  /** What is shown: when it changes, an error is forgotten. */
  about: unknown
  children: ReactNode
}
type State = { error: unknown; failed: boolean; isRetrying: boolean; key: number }

/** A screen that fails again so soon after it was loaded again is not loaded once more. */
const RETRY_EVERY_MS = 30_000
let retriedAt = Number.NEGATIVE_INFINITY

/**
 * Keeps a failure inside one screen. Give it a new key to try again. A failure while drawing is tried again by itself first: data that
 * another part of the page has read can be incomplete for this screen, and loading the screen completes it.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false, isRetrying: false, key: nextRetryKey() }

  static getDerivedStateFromError(error: unknown): Omit<State, 'key'> {
    const isRetrying = isProblemOfPage(error) && performance.now() - retriedAt > RETRY_EVERY_MS
    return { error, failed: true, isRetrying }
  }

  override componentDidCatch(): void {
    if (!this.state.isRetrying) return
    retriedAt = performance.now()
    this.props.onRetry(true)
  }

  override componentDidUpdate({ about }: Props, { error }: State): void {
    // An error that came together with the change is of what is shown now.
    if (about === this.props.about || !this.state.failed || error !== this.state.error) return
    this.setState({ error: null, failed: false, isRetrying: false, key: nextRetryKey() })
  }

  override render() {
    const { failed, error, isRetrying, key } = this.state
    if (!failed) return <RetryKey value={key}>{this.props.children}</RetryKey>
    if (isRetrying) return <LoadingPage />
    return <ScreenError error={error} onRetry={() => this.props.onRetry(false)} />
  }
}
