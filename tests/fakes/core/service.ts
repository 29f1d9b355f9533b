import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Fault, FaultKind, Faults } from './faults.ts'

/** One emulated provider: the hosts it answers for, and what it says there. */
export type Service = {
  readonly name: string
  /** 'www.googleapis.com', …; without `https://`. */
  readonly hosts: readonly string[]
  /** Throws only on its own bugs, and lets what `Exchange` throws pass. */
  handle(exchange: Exchange): Promise<void>
  /**
   * What tests and the demo may ask by POST /__control/NAME/COMMAND with a JSON body, and by direct call. What a command
   * throws is answered as 400 with its message. `throttle` is the core's, for every service.
   */
  readonly commands: Readonly<Record<string, (body: never) => unknown>>
  /** Drops what it keeps in temporary files. */
  close?(): Promise<void>
}

export type ServiceOptions = {
  /** Milliseconds since 1970; `Date.now` unless told. */
  readonly clock?: () => number
}

export type Headers = Readonly<Record<string, string | number | undefined>>

/** One request to an emulated service and its answer. */
export type Exchange = {
  /** As the real service would see it: https://HOST/path?query. */
  readonly url: URL
  readonly method: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly faults: Faults
  /**
   * To be called once, as soon as it is known what is asked and by whom, and before any of it is done. Names both for
   * the log and for faults, and plays the planned faults of the transport: refuse, reset, blackhole, delay, redirect,
   * html, cutUp, cutDown, lostReply, skew. An exchange that such a fault has ended is left by `ExchangeEnded`.
   */
  begin(operation: string, user?: string | null): Promise<void>
  /** The planned fault of this kind for this operation and user, used up by the asking; null when none is. */
  take(kind: FaultKind): Fault | null
  /** Notes an id that is given in the answer, for the log. */
  concerns(id: string): void
  /** The body as it comes in, once: with the user's bandwidth, and cut where a fault says so. */
  body(): AsyncIterable<Buffer>
  /** The whole body; more than `limit` (10 MiB unless told) is a bug of the caller, answered by 413. */
  readBody(limit?: number): Promise<Buffer>
  send(status: number, headers?: Headers, body?: string | Buffer): Promise<void>
  sendJson(status: number, value: unknown, headers?: Headers): Promise<void>
  /**
   * The bytes of an object, `length` of them, with Content-Length. Plays flip (a bit of byte `at`, the middle one unless
   * told), shortBody (the last `bytes`, 1 unless told, never come) and gzip.
   */
  sendObject(status: number, headers: Headers, length: number, bytes: Readable): Promise<void>
}

/** The exchange is over: by a fault, or because the client went. Not for services to catch. */
export class ExchangeEnded extends Error {
  override readonly name = 'ExchangeEnded'
}
