import { onLiveAgain } from '../../relay/liveAgain.ts'
import { type FilesChange, filesChanges, recentFilesChanges } from '../Live/liveEvents.ts'

/**
 * Calls `refresh` when the file has changed, here or elsewhere, or may have: `everyMs` later, once for all changes
 * until then. A change that arrived just before counts too, because what is shown was requested earlier. Returns a function
 * that unsubscribes.
 */
export function onFileChange(id: string, everyMs: number, refresh: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      refresh()
    }, everyMs)
  }
  const concerns = ({ files, removedIds, truncated }: FilesChange) =>
    truncated || removedIds.includes(id) || files.some((file) => file.id === id)
  if (recentFilesChanges().some(concerns)) soon()
  const stops = [onLiveAgain(soon), filesChanges.listen((change) => concerns(change) && soon())]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
