import type { Call, Capabilities, Content, NewEntry, PutProgress } from '../driver.ts'
import type { RunningHash } from '../shared/source.ts'
import type { DriveClient } from './client.ts'
import type { Ids } from './ids.ts'
import { KIND } from './wire.ts'

export type DriveLimits = {
  /** What is sent and confirmed at a time: a multiple of 256 KiB. */
  readonly chunkBytes: number
  /** Up to here one request does it; Drive documents 5 MB. */
  readonly smallBytes: number
  readonly pageSize: number
}
export const DEFAULT_LIMITS: DriveLimits = { chunkBytes: 8 * 1024 * 1024, smallBytes: 5_000_000, pageSize: 1000 }

export type PutContext = {
  readonly client: DriveClient
  readonly limits: DriveLimits
  readonly ids: Ids
  readonly capabilities: Capabilities
}
export type Job = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}
/** A put under way. */
export type Put = PutContext & Job & { readonly hash: RunningHash }

export const WHERE = { provider: KIND, operation: 'put' }
