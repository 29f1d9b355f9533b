import { useEffect, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { reasonOf } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { revokeShare } from './revokeShare.ts'
import { words } from './words.ts'

/** Asks in place: a link that has ended never opens again. */
export function EndLink({ id, onClose }: { id: string; onClose: () => void }) {
  const environment = useRelayEnvironment()
  const [isBusy, setBusy] = useState(false)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const end = async () => {
    setBusy(true)
    try {
      await revokeShare(environment, id)
      toast.success(words.ended)
    } catch (error) {
      toast.error(words.endFailed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <div className="linkfacts" role="alert">
      <span className="meta grow">{words.endQuestion}</span>
      <Button ref={keep} size="sm" onClick={onClose}>
        {words.keep}
      </Button>
      <Button size="sm" variant="dangerSolid" busy={isBusy} onClick={() => void end()}>
        {words.end}
      </Button>
    </div>
  )
}
