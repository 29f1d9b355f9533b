import { onLiveAgain } from '../../relay/liveAgain.ts'
import { type FilesChange, filesChanges } from '../Live/liveEvents.ts'

/** How long changes are remembered for what is being fetched when they arrive (ms). */
const REMEMBERED_MS = 15_000
const recent: { readonly at: number; readonly change: FilesChange }[] = []

filesChanges.listen((change) => {
  const now = performance.now()
  while (recent[0] && recent[0].at < now - REMEMBERED_MS) recent.shift()
  recent.push({ at: now, change })
})

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
  if (recent.some(({ at, change }) => at >= since && concerns(change))) soon()
  const stops = [onLiveAgain(soon), filesChanges.listen((change) => concerns(change) && soon())]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
