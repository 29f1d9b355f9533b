import { messages } from '../../lib/messages.ts'
import { NotFoundState } from '../../ui/NotFoundState.tsx'
import { TopBar } from '../../ui/TopBar.tsx'

export function NotFound() {
  return (
    <>
      <title>{`${messages.errors.notFoundTitle} · ${messages.common.product}`}</title>
      <TopBar title={messages.common.product}>
        <h1 className="sr-only">{messages.common.product}</h1>
      </TopBar>
      <NotFoundState />
    </>
  )
}
