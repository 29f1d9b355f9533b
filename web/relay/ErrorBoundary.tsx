import { Component, type ReactNode } from 'react'
import { ScreenError } from './ScreenError.tsx'

type Props = { onRetry: () => void; children: ReactNode }
type State = { error: unknown; failed: boolean }

/** Keeps a failure inside one screen. Give it a new key to try again. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false }

  static getDerivedStateFromError(error: unknown): State {
    return { error, failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return <ScreenError error={this.state.error} onRetry={this.props.onRetry} />
  }
}
