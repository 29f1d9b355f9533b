import { createResumeStore, type Resumable } from '../../features/Transfers/resumeStore.ts'
import { createTransfersStore } from '../../features/Transfers/transfersStore.ts'
import { type BatchEnd, UploadEngine } from '../../features/Transfers/uploadEngine.ts'
import type { DropEntry } from '../../lib/dropEntries.ts'
import type { Transfer } from '../../lib/uploadQueue.ts'
import { uploadsOf } from './uploadLink.ts'

/** Sends the files of one visitor through one link, with the upload engine of the app. */
export function createSender(linkId: string, visitorName: () => string) {
  const store = createTransfersStore()
  const resumes = createResumeStore(`link.${linkId}`)
  // After a reload the visitor sees what has arrived already.
  store.add(earlier(linkId))
  const keep = () => keepArrived(linkId, store.all())
  const listeners = new Set<(end: BatchEnd) => void>()
  const engine = new UploadEngine({
    store,
    resumes,
    // The server puts all files into one folder.
    folders: { ensure: async () => null },
    endpoint: uploadsOf(linkId),
    newId: () => crypto.randomUUID?.() ?? String(Math.random()),
    loadTus: () => import('../../features/Transfers/tusUpload.ts'),
    extraMetadata: () => {
      const name = visitorName().trim()
      return name === '' ? {} : { visitorName: name }
    },
    onUploaded: () => keep(),
    onBatchEnd: (end) => {
      for (const listener of listeners) listener(end)
    },
  })
  const target = { parentId: null, groupCloudId: null, place: '' }

  return {
    store,
    resumes,
    engine,
    onBatchEnd(listener: (end: BatchEnd) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Continues those of `unfinished` that are among the entries, and sends the others. @returns what was continued */
    send(entries: readonly DropEntry[], unfinished: readonly Resumable[]): readonly Resumable[] {
      const files = entries.flatMap((entry) => (entry.kind === 'FILE' ? [entry.file] : []))
      const continued = engine.continueUploads(files, unfinished)
      const isContinued = (file: File) =>
        continued.some(({ name, size, lastModified }) => {
          return file.name === name && file.size === size && file.lastModified === lastModified
        })
      const fresh = entries.filter((entry) => entry.kind !== 'FOLDER')
      const rest = fresh.filter((entry) => entry.kind !== 'FILE' || !isContinued(entry.file))
      const flat = rest.map((entry) => ({ ...entry, folders: [] }))
      if (flat.length > 0) engine.upload(flat, target)
      return continued
    },
    /** Forgets what has arrived, for another round. */
    clear(): void {
      store.remove(store.all().map(({ id }) => id))
      keep()
    },
  }
}

/** More are not kept. */
const MOST_KEPT = 200
const keyOf = (linkId: string) => `skypool.arrived.${linkId}`

/** Keeps names and sizes of what has arrived for as long as the tab is open, where only this visitor sees them. */
function keepArrived(linkId: string, transfers: readonly Transfer[]): void {
  const arrived = transfers.filter(({ state }) => state === 'done').slice(-MOST_KEPT)
  try {
    sessionStorage.setItem(keyOf(linkId), JSON.stringify(arrived))
  } catch (error) {
    console.warn('What has arrived is not shown after a reload', error)
  }
}

function earlier(linkId: string): readonly Transfer[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(linkId)) ?? '[]') as Transfer[]
  } catch {
    // It was cut off.
    return []
  }
}
