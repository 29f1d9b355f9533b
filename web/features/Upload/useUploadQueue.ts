import { useRef, useState, useSyncExternalStore } from 'react'
import { toast } from '../../ui/toast.ts'
import { type DropTarget, useTransfers } from '../Transfers/transfersContext.ts'
import type { BatchEnd } from '../Transfers/uploadEngine.ts'
import { foldersOf, type QueueItem, type QueueRow } from './uploadRules.ts'

/** As long as the upload flow shows its toast. */
const TOAST_MS = 4000

/** The files of the dialog, beginning with `chosen`: chosen, then handed to the transfers, which continue when the dialog closes. */
export function useUploadQueue(chosen: readonly File[]) {
  const { upload, control } = useTransfers()
  const transfers = useSyncExternalStore(control.subscribe, control.getSnapshot)
  const count = useRef(0)
  const toItem = (file: File): QueueItem => ({
    id: `${++count.current}`,
    file,
    folders: foldersOf((file as File & { path?: string }).path),
  })
  const [items, setItems] = useState<readonly QueueItem[]>(() => chosen.map(toItem))
  const [sent, setSent] = useState<ReadonlyMap<string, string>>(new Map())
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]))
  const rows: QueueRow[] = items.map((item) => ({ ...item, transfer: byId.get(sent.get(item.id) ?? '') ?? null }))

  return {
    rows,
    add(files: readonly File[]): void {
      const added = files.map(toItem)
      setItems((now) => [...now, ...added])
    },
    remove(id: string): void {
      const transferId = sent.get(id)
      if (transferId) control.cancel(transferId)
      setItems((now) => now.filter((item) => item.id !== id))
    },
    /** Uploads new and failed files; shows a toast when all are done. */
    send(target: DropTarget, placeName: string): void {
      for (const { transfer } of rows) if (transfer?.state === 'failed') control.resume(transfer.id)
      const fresh = rows.filter(({ transfer }) => transfer === null)
      if (fresh.length === 0) return
      const { batchId, ids } = upload(
        fresh.map(({ file, folders }) => ({ kind: 'FILE', file, folders })),
        target,
      )
      setSent(new Map([...sent, ...fresh.map(({ id }, index) => [id, ids[index] ?? ''] as const)]))
      const stop = control.onBatchEnd((end) => {
        if (end.batchId !== batchId || end.failures.length > 0) return
        stop()
        if (end.uploaded > 0) sayComplete(end, placeName)
      })
    },
  }
}

function sayComplete({ uploaded: count, moved }: BatchEnd, placeName: string): void {
  const [first] = moved
  const description = first
    ? `Successfully uploaded ${count} file(s), ${moved.length} of them to ${first.movedTo}, because their folder is gone`
    : `Successfully uploaded ${count} file(s) to ${placeName}`
  toast.success('Upload Complete', { description, duration: TOAST_MS })
}
