import { ObjectMissingError } from '../../storage/errors.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { NotFoundError } from '../errors.ts'
import type { Events } from '../events.ts'
import type { Copy, File, StoredFile } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import type { CommitItem, Committed } from './draft.ts'

type ConcludeDeps = {
  readonly store: ObjectStore
  readonly events: Events
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Told of every new file, once. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  readonly onError: (error: unknown) => void
}

export type Conclude = (viewer: Viewer, item: CommitItem, committed: Committed) => Promise<StoredFile>

/**
 * What follows a commit: the bytes move to their final place while the answer is on its way (readers find them in staging
 * meanwhile, and a sweep does it otherwise), subscribers are told, and the file is returned.
 */
export function createConclude({ store, events, getFile, getCopies, onStored, onError }: ConcludeDeps): Conclude {
  const isListed = async (viewer: Viewer, fileId: string): Promise<boolean> =>
    getFile(viewer, fileId).then(
      () => true,
      (error: unknown) => {
        if (error instanceof NotFoundError) return false
        throw error
      },
    )

  return async (viewer, item, committed) => {
    if (!committed.created) {
      const { fileId } = committed
      const [file, copies] = await Promise.all([getFile(viewer, fileId), getCopies(viewer, [fileId])])
      return { ...file, copies: copies.get(fileId) ?? [] }
    }
    const publishing = store.publish(item.objectId).catch(async (error: unknown) => {
      // Its owner may have deleted it for good in the meantime.
      if (!(error instanceof ObjectMissingError) || (await isListed(viewer, committed.fileId))) throw error
    })
    publishing.catch(onError)
    const { fileId, parentId, replacedId } = committed
    const file = fileOf(item, committed)
    onStored?.(viewer, file)
    const fileIds = replacedId === null ? [fileId] : [fileId, replacedId]
    events.publish('filesChanged', viewer.userId, { fileIds, removedIds: [], parentIds: [parentId], truncated: false })
    return { ...file, copies: committed.copies }
  }
}

function fileOf(item: CommitItem, committed: Extract<Committed, { created: true }>): File {
  const { fileId, name, parentId, createdAt, state, stateReason } = committed
  return {
    id: fileId,
    parentId,
    kind: 'FILE',
    name,
    category: item.type.category,
    mimeType: item.type.mimeType,
    size: item.size,
    sha256: item.sha256.toString('hex'),
    state,
    stateReason,
    groupCloudId: item.groupCloudId,
    starred: false,
    childCount: 0,
    trashedAt: null,
    createdAt,
    updatedAt: createdAt,
  }
}
