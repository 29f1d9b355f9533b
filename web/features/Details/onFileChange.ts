import { onLiveAgain } from '../../relay/liveAgain.ts'
import { filesChanges } from '../Live/liveEvents.ts'

/**
 * Calls `refresh` when the file has changed, here or elsewhere, or may have: `everyMs` later, once for all changes
 * until then. Returns a function that unsubscribes.
 */
export function onFileChange(id: string, everyMs: number, refresh: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      refresh()
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
