import { messages } from '../lib/messages.ts'

/** Fills its place while code or the session load. */
export function LoadingPage() {
  return (
    <div className="loading" role="status">
      {messages.common.loading}
    </div>
  )
}
