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

/** `isInAccount`: files are stored in its account instead of a group cloud. */
export type UploadFolder = { readonly id: string; readonly name: string; readonly isInAccount: boolean }

/** What every screen can do with transfers; they continue across navigation. */
export type Transfers = {
  /** Returns the ids of the transfers, in order. */
  readonly upload: (entries: readonly DropEntry[], target: DropTarget) => { batchId: string; ids: readonly string[] }
  /** Up to 64 MiB with progress in the panel; larger files are downloaded by the browser. */
  readonly download: (file: DownloadFile) => void
  readonly openUploadDialog: () => void
  /** Opens the upload dialog with files that are chosen already, for example sent by another app. */
  readonly offerFiles: (files: readonly File[]) => void
  /** The folder that is open, which the upload dialog uploads into; null is the root. */
  readonly setUploadFolder: (folder: UploadFolder | null) => void
}

/** For the panel and the upload dialog. */
export type TransfersControl = {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => readonly Transfer[]
  readonly pause: (id: string) => void
  /** Resumes what is paused, retries what has failed. */
  readonly resume: (id: string) => void
  /** Stops it if it is running and removes it from the list. */
  readonly cancel: (id: string) => void
  readonly clearFinished: () => void
  readonly answerConflict: (id: string, answer: ConflictAnswer, forAll: boolean) => void
  /** Each listener is called for every file that has become durable. Returns a function that unsubscribes. */
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

/** Limits how often lists are fetched again during large uploads. */
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
