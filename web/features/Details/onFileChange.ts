import { onLiveAgain } from '../../relay/liveAgain.ts'
import { filesChanges } from '../Live/liveEvents.ts'

/**
 * Calls `look` when the file has changed, be it elsewhere, or may have: `everyMs` later, once for all that happens until
 * then. Returns the way to stop.
 */
export function onFileChange(id: string, everyMs: number, look: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      look()
    }, everyMs)
  }
  const stops = [
    onLiveAgain(soon),
    filesChanges.listen(({ files, removedIds, truncated }) => {
      if (truncated || removedIds.includes(id) || files.some((file) => file.id === id)) soon()
    }),
  ]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
