import type { Environment } from 'relay-runtime'
import type { createDownloads, DownloadFile, DownloadsDeps } from './downloads.ts'
import { createFolderMaker, type FolderDoor } from './folderMaker.ts'
import { createResumeStore } from './resumeStore.ts'
import type { Transfers, TransfersControl } from './transfersContext.ts'
import { createTransfersStore, type TransfersStore } from './transfersStore.ts'
import { type BatchEnd, UploadEngine } from './uploadEngine.ts'

const ENDPOINT = '/api/v1/uploads'
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

export type TransfersCore = ReturnType<typeof createTransfers>

/**
 * Everything that moves bytes for one signed-in user. `stop` halts it; the received part of an upload stays on the
 * server.
 */
export function createTransfers(environment: Environment, userId: string) {
  const store = createTransfersStore()
  const resumes = createResumeStore(userId)
  const uploaded = createSignal<void>()
  const ended = createSignal<BatchEnd>()
  const downloads = createLateDownloads({ store, newId })
  const engine = new UploadEngine({
    store,
    resumes,
    folders: createFolderMaker(folderDoorOf(environment)),
    endpoint: new URL(ENDPOINT, location.origin).href,
    newId,
    loadTus: () => import('./tusUpload.ts'),
    onUploaded: ({ fileId }, file) => {
      uploaded.send()
      if (fileId !== null && NOT_DRAWN.test(`${file.type} ${file.name}`)) sendPicture(fileId, file)
    },
    onBatchEnd: ended.send,
  })
  const upload: Transfers['upload'] = (entries, target) => {
    if (!store.all().some(isUnfinished)) clearFinished(store)
    return engine.upload(entries, { ...target, place: target.place ?? 'My Drive' })
  }
  const isDownload = (id: string) => store.get(id)?.direction === 'down'
  const control: TransfersControl = {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    pause: (id) => engine.pause(id),
    resume: (id) => (isDownload(id) ? downloads.retry(id) : engine.resume(id)),
    cancel: (id) => (isDownload(id) ? downloads.cancel(id) : engine.cancel(id)),
    clearFinished: () => clearFinished(store),
    answerConflict: (id, answer, forAll) => engine.answerConflict(id, answer, forAll),
    onUploaded: uploaded.listen,
    onBatchEnd: ended.listen,
  }
  return {
    upload,
    download: downloads.start,
    control,
    resumes,
    engine,
    stop: () => {
      engine.stop()
      downloads.stop()
    },
  }
}

/** Films and HEIC images, by type or name: the server cannot draw them. */
const NOT_DRAWN = /^video\/|^image\/hei|\.(?:mkv|mov|hei[cf])$/i

/** Without one, its tile has an icon. */
function sendPicture(fileId: string, file: File): void {
  import('./browserPicture.ts')
    .then(({ sendBrowserPicture }) => sendBrowserPicture(fileId, file))
    .catch((error: unknown) => console.info('No picture of an uploaded file', error))
}

/** Its code is loaded with the first download, or once the connection is back; where that fails, the browser fetches the file by itself. */
function createLateDownloads(deps: DownloadsDeps) {
  let loading: Promise<ReturnType<typeof createDownloads>> | undefined
  const load = () => {
    loading ??= import('./downloads.ts').then((module) => module.createDownloads(deps))
    return loading
  }
  const start = (file: DownloadFile): void => {
    load().then(
      (downloads) => downloads.start(file),
      () => {
        loading = undefined
        // Without a connection, the page would be replaced by an error of the browser.
        if (navigator.onLine) location.assign(file.downloadUrl)
        else window.addEventListener('online', () => start(file), { once: true })
      },
    )
  }
  return {
    start,
    retry: (id: string) => void loading?.then((downloads) => downloads.retry(id)),
    cancel: (id: string) => void loading?.then((downloads) => downloads.cancel(id)),
    stop: () => void loading?.then((downloads) => downloads.stop()),
  }
}

/** Its code is loaded with the first folder that is uploaded. */
function folderDoorOf(environment: Environment): FolderDoor {
  const load = async () => (await import('./folderDoor.ts')).createFolderDoor(environment)
  return {
    create: async (...folder) => (await load()).create(...folder),
    find: async (...folder) => (await load()).find(...folder),
  }
}

const isUnfinished = ({ state }: { state: string }) => state !== 'done' && state !== 'skipped'

function clearFinished(store: TransfersStore): void {
  store.remove(
    store
      .all()
      .filter((transfer) => !isUnfinished(transfer))
      .map(({ id }) => id),
  )
}

function createSignal<T>() {
  const listeners = new Set<(value: T) => void>()
  return {
    send: (value: T) => {
      for (const listener of listeners) listener(value)
    },
    listen: (listener: (value: T) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
