import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { sharedMessages } from '../../lib/messages.ts'
import { NotFoundState } from '../../ui/NotFoundState.tsx'

export function NotFound() {
  return (
    <>
      <title>{`${sharedMessages.errors.notFoundTitle} · ${sharedMessages.common.product}`}</title>
      <SearchBar title={sharedMessages.common.product} isHeading />
      <NotFoundState />
    </>
  )
}
