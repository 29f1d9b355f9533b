import { createContext, useContext, useEffect, useRef } from 'react'
import type { DropEntry } from '../../lib/dropEntries.ts'
import type { Transfer } from '../../lib/uploadQueue.ts'
import type { DownloadFile } from './downloads.ts'
import type { BatchEnd } from './uploadEngine.ts'
import type { ConflictAnswer } from './uploadJob.ts'

/** Where dropped files go. `groupCloudId` null: the default one. `place` is the folder's name, for the panel. */
export type DropTarget = {
  readonly parentId: string | null
  readonly groupCloudId: string | null
  readonly place?: string
}

export type UploadFolder = { readonly id: string; readonly name: string }

/** What every screen may ask of the transfers; it goes on while screens come and go. */
export type Transfers = {
  /** Answers with the ids of the files' transfers, in order. */
  readonly upload: (entries: readonly DropEntry[], target: DropTarget) => { batchId: string; ids: readonly string[] }
  /** Up to 64 MiB with progress in the panel; what is larger goes to the browser's own downloads. */
  readonly download: (file: DownloadFile) => void
  readonly openUploadDialog: () => void
  /** The folder that is open, which the upload dialog uploads into; null is the root. */
  readonly setUploadFolder: (folder: UploadFolder | null) => void
}

/** For the panel and the upload dialog. */
export type TransfersControl = {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => readonly Transfer[]
  readonly pause: (id: string) => void
  /** Goes on with what is paused, tries again what has failed. */
  readonly resume: (id: string) => void
  /** Stops it if need be and takes it off the list. */
  readonly cancel: (id: string) => void
  readonly clearFinished: () => void
  readonly answerConflict: (id: string, answer: ConflictAnswer, forAll: boolean) => void
  /** Each listener hears of every file that has become durable. Returns the way to stop. */
  readonly onUploaded: (listener: () => void) => () => void
  readonly onBatchEnd: (listener: (end: BatchEnd) => void) => () => void
}

export const TransfersContext = createContext<(Transfers & { readonly control: TransfersControl }) | null>(null)

/** @throws Error outside of TransfersProvider */
export function useTransfers(): Transfers & { readonly control: TransfersControl } {
  const transfers = useContext(TransfersContext)
  if (!transfers) throw new Error('useTransfers needs a TransfersProvider above it')
  return transfers
}

/** Lists need not be read again for every file of a hundred. */
const REFETCH_MS = 350

/** Calls back once uploads have finished and none has for 350 ms. */
export function useUploadsFinished(callback: () => void): void {
  const { control } = useTransfers()
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
  }, [callback])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = control.onUploaded(() => {
      clearTimeout(timer)
      timer = setTimeout(() => latest.current(), REFETCH_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [control])
}
