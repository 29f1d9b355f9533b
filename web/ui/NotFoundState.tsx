import { FileQuestionMark } from 'lucide-react'
import { Link } from 'react-router'
import { sharedMessages } from '../lib/messages.ts'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

/** For an address that leads nowhere. */
export function NotFoundState() {
  const { notFoundTitle, notFoundText, toFiles } = sharedMessages.errors
  return (
    <EmptyState title={notFoundTitle} text={notFoundText} icon={FileQuestionMark}>
      <Link to="/file-manager" className={buttonClass('primary')}>
        {toFiles}
      </Link>
    </EmptyState>
  )
}
