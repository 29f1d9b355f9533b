import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Notice } from './Notice.tsx'

/** How often what is inside is tried again by itself before the error is shown. */
const RETRIES = 2
const DELAY_MS = 600

type Props = {
  readonly children: ReactNode
  /** Frames the error; without it, it stands for itself. */
  readonly fallback?: (error: ReactNode) => ReactNode
}
type State = { readonly error: unknown; readonly attempt: number }

/** For a panel that reads its own data: two quiet retries, then words and a button. The rest of the page stays. */
export class RetryBoundary extends Component<Props, State> {
  override state: State = { error: null, attempt: 0 }
  #timer: ReturnType<typeof setTimeout> | undefined

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidCatch(error: unknown): void {
    if (this.state.attempt >= RETRIES) console.error('A panel could not be shown', error)
    else this.#timer = setTimeout(this.#again, DELAY_MS * (this.state.attempt + 1))
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#timer)
  }

  #again = () => this.setState(({ attempt }) => ({ error: null, attempt: attempt + 1 }))
  #fromStart = () => this.setState({ error: null, attempt: 0 })

  override render(): ReactNode {
    const { error, attempt } = this.state
    const { children, fallback = (shown: ReactNode) => shown } = this.props
    if (!error) return children
    if (attempt < RETRIES) return fallback(null)
    return fallback(
      <Notice
        tone="danger"
        action={
          <Button size="sm" onClick={this.#fromStart}>
            Try again
          </Button>
        }
      >
        This could not be loaded. Check your connection; your files are safe.
      </Notice>,
    )
  }
}
