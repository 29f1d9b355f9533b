import { Component, type ReactNode } from 'react'
import { nextRetryKey, RetryKey } from '../lib/retryKey.ts'
import { Button } from './Button.tsx'
import { Notice } from './Notice.tsx'

/** How often what is inside is tried again by itself before the error is shown. */
const RETRIES = 2
const DELAY_MS = 600

type Props = {
  readonly children: ReactNode
  /** Frames the error; without it, it stands for itself. */
  readonly fallback?: (error: ReactNode) => ReactNode
  /** What the panel is about: when it changes, an error is forgotten. */
  readonly about?: string
}
type State = { readonly error: unknown; readonly attempt: number; readonly key: number }

/** For a panel that reads its own data: two quiet retries, then words and a button. The rest of the page stays. */
export class RetryBoundary extends Component<Props, State> {
  override state: State = { error: null, attempt: 0, key: nextRetryKey() }
  #timer: ReturnType<typeof setTimeout> | undefined

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidCatch(error: unknown): void {
    if (this.state.attempt >= RETRIES) console.error('A panel could not be displayed', error)
    else this.#timer = setTimeout(this.#again, DELAY_MS * (this.state.attempt + 1))
  }

  override componentDidUpdate({ about }: Props, { error }: State): void {
    // An error that came together with the change is of what is shown now: that one is tried again in its time.
    if (about !== this.props.about && error && error === this.state.error) this.#fromStart()
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#timer)
  }

  #again = () => this.setState(({ attempt }) => ({ error: null, attempt: attempt + 1, key: nextRetryKey() }))

  #fromStart = () => {
    clearTimeout(this.#timer)
    this.setState({ error: null, attempt: 0, key: nextRetryKey() })
  }

  override render(): ReactNode {
    const { error, attempt, key } = this.state
    const { children, fallback = (shown: ReactNode) => shown } = this.props
    if (!error) return <RetryKey value={key}>{children}</RetryKey>
    return fallback(attempt < RETRIES ? null : <Words error={error} onRetry={this.#fromStart} />)
  }
}

function Words({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Notice
      tone="danger"
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {isServerError(error)
        ? `This could not be loaded. ${error.message}`
        : 'This could not be loaded. Check your connection; your files are safe.'}
    </Notice>
  )
}

/** The server answered, so it is not the connection: what it said is what people can act on. */
function isServerError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ServerError'
}
