import { onLiveAgain } from '../../relay/liveAgain.ts'
import { type FilesChange, filesChanges, filesChangesSince } from '../Live/liveEvents.ts'

/**
 * Calls `refresh` when the file has changed, here or elsewhere, or may have: `everyMs` later, once for all changes
 * until then. `since`: when what is shown was requested (`performance.now()`); changes that arrived from then on count too.
 * Returns a function that unsubscribes.
 */
export function onFileChange(
  id: string,
  { everyMs, since = performance.now() }: { everyMs: number; since?: number },
  refresh: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      refresh()
    }, everyMs)
  }
  const concerns = ({ files, removedIds, truncated }: FilesChange) =>
    truncated || removedIds.includes(id) || files.some((file) => file.id === id)
  if (filesChangesSince(since).some(concerns)) soon()
  const stops = [onLiveAgain(soon), filesChanges.listen((change) => concerns(change) && soon())]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
