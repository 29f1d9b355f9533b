import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../ui/Button.tsx'
import { words } from './words.ts'

/** What can be done once the link was made. The focus comes along, so that a screen reader hears the new page. */
export function LinkSent({ nothing, onAgain }: { nothing: string; onAgain: () => void }) {
  const navigate = useNavigate()
  const actions = useRef<HTMLDivElement>(null)
  useEffect(() => actions.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={actions}>
      <Button variant="primary" size="lg" block onClick={() => void navigate('/login')}>
        {words.returnToLogin}
      </Button>
      <p className="muted mt-5">
        {nothing}{' '}
        <button type="button" className="link" onClick={onAgain}>
          {words.again}
        </button>
        .
      </p>
    </div>
  )
}
