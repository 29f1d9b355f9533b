import { useEffect, useMemo } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import { filesChanges } from '../../../features/Live/liveEvents.ts'
import { useUploadsFinished } from '../../../features/Transfers/transfersContext.ts'
import { onLiveAgain } from '../../../relay/liveAgain.ts'
import { distrustLists, keptLists } from './listCache.ts'

/** Changes come in bursts; the lists are read again once a burst is over. */
const QUIET_MS = 350

/**
 * Keeps visible lists up to date: removed rows disappear immediately, everything else is fetched again after a
 * short quiet. `onRemoved` receives the ids, for the selection.
 */
export function useFilesChanged(onRemoved: (ids: readonly string[]) => void): void {
  const environment = useRelayEnvironment()
  const refreshSoon = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = () => distrustLists(environment)
    return {
      ask: () => {
        clearTimeout(timer)
        timer = setTimeout(run, QUIET_MS)
      },
      stop: () => clearTimeout(timer),
    }
  }, [environment])
  useEffect(() => refreshSoon.stop, [refreshSoon])
  useEffect(() => watched(environment), [environment])
  useUploadsFinished(refreshSoon.ask)
  // Changes during the lost connection are unknown, so everything is fetched again.
  useEffect(() => onLiveAgain(refreshSoon.ask), [refreshSoon])

  useEffect(
    () =>
      filesChanges.listen(({ removedIds }) => {
        if (removedIds.length > 0) {
          for (const list of keptLists(environment)) list.model.remove(removedIds)
          onRemoved(removedIds)
        }
        refreshSoon.ask()
      }),
    [environment, refreshSoon, onRemoved],
  )
}

/** How many screens watch, by environment. */
const watching = new WeakMap<IEnvironment, number>()
/** Ends the listening that takes the place of screens. */
const listening = new WeakMap<IEnvironment, () => void>()
const missed = new WeakSet<IEnvironment>()

/**
 * While no screen with a list is open, as after an error, changes are only noted: then the kept lists are read again as soon as one is.
 * Returns a function for the end of the screen.
 */
function watched(environment: IEnvironment): () => void {
  const count = (more: number) => {
    const now = (watching.get(environment) ?? 0) + more
    watching.set(environment, now)
    return now
  }
  count(1)
  listening.get(environment)?.()
  if (missed.delete(environment)) distrustLists(environment)
  return () => {
    // The next screen may follow at once; then it finds nothing noted.
    if (count(-1) === 0) listening.set(environment, listenFor(environment))
  }
}

function listenFor(environment: IEnvironment): () => void {
  const note = () => void missed.add(environment)
  const stops = [filesChanges.listen(note), onLiveAgain(note)]
  return () => {
    for (const stop of stops) stop()
    listening.delete(environment)
  }
}
