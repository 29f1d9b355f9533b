import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../ui/Button.tsx'
import { messages } from './messages.ts'

/** The next steps once the link was created. It takes the focus, so that screen readers announce the new page. */
export function LinkSent({ isMailed, onAgain }: { isMailed: boolean; onAgain: () => void }) {
  const navigate = useNavigate()
  const actions = useRef<HTMLDivElement>(null)
  useEffect(() => actions.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={actions}>
      <Button variant="primary" size="lg" block onClick={() => void navigate('/login')}>
        {messages.returnToLogin}
      </Button>
      <p className="muted mt-5">
        {isMailed ? 'Nothing there? Check the spam folder, or' : 'No link there? Check the address, and'}{' '}
        <button type="button" className="link" onClick={onAgain}>
          try again
        </button>
        .
      </p>
    </div>
  )
}
