import { Images } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useFileManager } from '../FilesContext.ts'
import { messages } from './messages.ts'

/** Nothing to show, although the place may hold other files. */
export function NoPhotos() {
  const { setLayout } = useFileManager()
  return (
    <EmptyState icon={Images} title={messages.emptyTitle} text={messages.emptyText}>
      <Button onClick={() => setLayout('list')}>{messages.backToList}</Button>
    </EmptyState>
  )
}
