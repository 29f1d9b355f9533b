import { sharedMessages } from '../../lib/messages.ts'
import { NotFoundState } from '../../ui/NotFoundState.tsx'
import { TopBar } from '../../ui/TopBar.tsx'

export function NotFound() {
  return (
    <>
      <title>{`${sharedMessages.errors.notFoundTitle} · ${sharedMessages.common.product}`}</title>
      <TopBar title={sharedMessages.common.product}>
        <h1 className="sr-only">{sharedMessages.common.product}</h1>
      </TopBar>
      <NotFoundState />
    </>
  )
}
