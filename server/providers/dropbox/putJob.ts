import type { Call, Content, NewEntry, PutProgress } from '../driver.ts'
import type { RunningHash } from '../shared/source.ts'
import type { DropboxClient } from './client.ts'
import { KIND } from './wire.ts'

export type DropboxLimits = {
  /** What is sent and confirmed at a time, and sent again when the line breaks: a multiple of 4 MiB, 150 MiB at most. */
  readonly chunkBytes: number
  /** Up to here one request does it, from memory. */
  readonly smallBytes: number
  readonly pageSize: number
}
const MIB = 1024 * 1024
export const DEFAULT_LIMITS: DropboxLimits = { chunkBytes: 4 * MIB, smallBytes: 4 * MIB, pageSize: 2000 }

export type PutContext = { readonly client: DropboxClient; readonly limits: DropboxLimits }
export type Job = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}
/** A put under way. */
export type Put = PutContext & Job & { readonly hash: RunningHash }

export const WHERE = { provider: KIND, operation: 'put' }
