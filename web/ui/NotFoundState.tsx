import { FileQuestionMark } from 'lucide-react'
import { Link } from 'react-router'
import { messages } from '../lib/messages.ts'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

/** For an address that leads nowhere. */
export function NotFoundState() {
  const { notFoundTitle, notFoundText, toFiles } = messages.errors
  return (
    <EmptyState title={notFoundTitle} text={notFoundText} icon={FileQuestionMark}>
      <Link to="/file-manager" className={buttonClass('primary')}>
        {toFiles}
      </Link>
    </EmptyState>
  )
}
