import { Component, type ReactNode } from 'react'
import { ShareFailed } from './ShareStates.tsx'

type Props = {
  /** The query below; when it is fetched again, the error is reset. */
  readonly about: unknown
  readonly onRetry: () => void
  readonly children: ReactNode
}
type State = { readonly error: unknown; readonly isFailed: boolean }

/** Says in a visitor's words why the page could not be shown. */
export class ShareBoundary extends Component<Props, State> {
  override state: State = { error: null, isFailed: false }

  static getDerivedStateFromError = (error: unknown): State => ({ error, isFailed: true })

  override componentDidUpdate({ about }: Props): void {
    if (about !== this.props.about && this.state.isFailed) this.setState({ error: null, isFailed: false })
  }

  override render(): ReactNode {
    if (!this.state.isFailed) return this.props.children
    return <ShareFailed error={this.state.error} onRetry={this.props.onRetry} />
  }
}
