import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Resumable } from '../../features/Transfers/resumeStore.ts'
import { heldUploads } from '../../features/Transfers/uploadHolds.ts'
import { useLeaveWarning, useTitleProgress } from '../../features/Transfers/usePageSigns.ts'
import { announce } from '../../lib/announce.ts'
import type { DropEntry } from '../../lib/dropEntries.ts'
import { summarise } from '../../lib/uploadQueue.ts'
import { createSender } from './createSender.ts'
import { files } from './messages.ts'
import type { OpenLink } from './uploadLink.ts'

const keyOf = (linkId: string) => `skypool.sender.${linkId}`

/** The visitor's name and files. Files wait for a name if the link asks for one. */
export function useSender({ id, asksName }: OpenLink) {
  const [name, setName] = useState(() => sessionStorage.getItem(keyOf(id)) ?? '')
  const latest = useRef(name)
  const [sender] = useState(() => createSender(id, () => latest.current))
  const transfers = useSyncExternalStore(sender.store.subscribe, sender.store.getSnapshot)
  const summary = summarise(transfers)
  const [waiting, setWaiting] = useState<readonly DropEntry[]>([])
  const [unfinished, setUnfinished] = useUnfinished(sender.resumes)
  useTitleProgress(summary)
  useLeaveWarning(summary.running + summary.offline > 0)
  useEffect(() => {
    const { engine } = sender
    window.addEventListener('online', engine.retryOffline)
    const stop = sender.onBatchEnd(({ uploaded, failures }) => {
      if (failures.length > 0) announce(`${files(failures.length)} could not be sent.`)
      else if (uploaded > 0) announce(`${files(uploaded)} arrived.`)
    })
    return () => {
      window.removeEventListener('online', engine.retryOffline)
      stop()
      engine.stop()
    }
  }, [sender])

  const isNameMissing = asksName && name.trim() === ''
  const send = (entries: readonly DropEntry[]) => {
    const continued = sender.send(entries, unfinished)
    setUnfinished((now) => now.filter((entry) => !continued.includes(entry)))
  }
  return {
    name,
    isNameMissing,
    transfers,
    summary,
    waiting,
    unfinished,
    rename(next: string): void {
      latest.current = next
      setName(next)
      sessionStorage.setItem(keyOf(id), next)
    },
    add(entries: readonly DropEntry[]): void {
      if (isNameMissing) setWaiting((now) => [...now, ...entries])
      else send(entries)
    },
    /** Sends what waited for the name. */
    sendWaiting(): void {
      if (isNameMissing || waiting.length === 0) return
      send(waiting)
      setWaiting([])
    },
    cancel: (transferId: string) => sender.engine.cancel(transferId),
    retry: (transferId: string) => sender.engine.resume(transferId),
    forgetUnfinished(): void {
      for (const { uploadUrl } of unfinished) sender.resumes.forget(uploadUrl)
      setUnfinished([])
    },
    clear: sender.clear,
  }
}

export type Sending = ReturnType<typeof useSender>

/** Uploads that a reload interrupted, except those that another tab is sending. */
function useUnfinished(resumes: { readonly list: () => readonly Resumable[] }) {
  const [unfinished, setUnfinished] = useState<readonly Resumable[]>([])
  useEffect(() => {
    let isCurrent = true
    const remembered = resumes.list()
    if (remembered.length === 0) return
    heldUploads().then(
      (held) => isCurrent && setUnfinished(remembered.filter(({ uploadUrl }) => !held.has(uploadUrl))),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [resumes])
  return [unfinished, setUnfinished] as const
}
