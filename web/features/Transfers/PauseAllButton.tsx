import { Pause, Play } from 'lucide-react'
import type { Transfer } from '../../lib/uploadQueue.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { useTransfers } from './transfersContext.ts'

/** Downloads are short and cannot be paused; this is about uploads. */
export function PauseAllButton({ transfers }: { transfers: readonly Transfer[] }) {
  const { control } = useTransfers()
  const uploads = transfers.filter(({ direction }) => direction === 'up')
  const moving = uploads.filter(({ state }) => state === 'running' || state === 'queued')
  const paused = uploads.filter(({ state }) => state === 'paused')
  // Waiting ones first: pausing a running one would start the next.
  const pauseAll = () => {
    for (const { id } of [...moving].reverse()) control.pause(id)
  }
  const resumeAll = () => {
    for (const { id } of paused) control.resume(id)
  }
  if (moving.length > 0) return <IconButton size="sm" label="Pause all" icon={Pause} onClick={pauseAll} />
  if (paused.length > 0) return <IconButton size="sm" label="Resume all" icon={Play} onClick={resumeAll} />
  return null
}
