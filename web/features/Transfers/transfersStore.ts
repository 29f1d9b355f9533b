import type { Transfer } from '../../lib/uploadQueue.ts'

/** Progress arrives many times a second per file; the list is updated ten times a second. */
const PROGRESS_MS = 100

/** The list of transfers as React's external store: `getSnapshot` is the same array until something changed. */
export type TransfersStore = ReturnType<typeof createTransfersStore>

export function createTransfersStore() {
  const transfers = new Map<string, Transfer>()
  const listeners = new Set<() => void>()
  let snapshot: readonly Transfer[] = []
  let timer: ReturnType<typeof setTimeout> | null = null

  const publish = () => {
    if (timer) clearTimeout(timer)
    timer = null
    snapshot = [...transfers.values()]
    for (const listener of listeners) listener()
  }
  const publishSoon = () => {
    timer ??= setTimeout(publish, PROGRESS_MS)
  }

  return {
    getSnapshot: () => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get: (id: string): Transfer | undefined => transfers.get(id),
    all: (): readonly Transfer[] => [...transfers.values()],
    add(added: readonly Transfer[]): void {
      for (const transfer of added) transfers.set(transfer.id, transfer)
      publish()
    },
    /** Published with the next tick. Unknown ids were removed by the user. */
    patch(id: string, change: Partial<Omit<Transfer, 'id'>>): void {
      const transfer = transfers.get(id)
      if (!transfer) return
      transfers.set(id, { ...transfer, ...change })
      publishSoon()
    },
    remove(ids: Iterable<string>): void {
      for (const id of ids) transfers.delete(id)
      publish()
    },
  }
}
