import type { Pool } from 'pg'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { Events } from '../events.ts'
import type { Copy, File } from '../files/contract.ts'
import type { Enqueue } from '../jobs.ts'
import type { Viewer } from '../viewer.ts'

export type UploadsDeps = {
  readonly pool: Pool
  /** For the connection that holds the leases of uploads. */
  readonly leases: Pool
  readonly store: ObjectStore
  readonly events: Events
  readonly enqueue: Enqueue
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
  /** Reads a file for an answer that was given before. @throws NotFoundError */
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  /** And where its bytes are. */
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Called once per new file. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  /** Called with errors that happen after the request was answered. */
  readonly onError: (error: unknown) => void
  /** Staged objects that others than uploads are writing now. */
  readonly alsoReceiving?: () => ReadonlySet<string>
  /** No other server can be on this database and storage. */
  readonly alone: boolean
}
