/** One call of an emulated service, as it ended. */
export type Call = {
  readonly service: string
  /** Empty when the service did not get so far as to name it. */
  readonly operation: string
  readonly user: string | null
  readonly method: string
  readonly host: string
  readonly path: string
  /** What was answered; 0 when the connection ended without an answer. */
  readonly status: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** When it began, and how long it took. */
  readonly at: string
  readonly ms: number
  /** Kinds of the faults that were played in it. */
  readonly faults: readonly string[]
  /** Ids that the service gave in its answer, and that later calls name: of a session, or of an object. */
  readonly concerns: readonly string[]
  /** A mistake of the emulator itself. */
  readonly bug?: string
}

export type Log = { add(call: Call): void; all(): readonly Call[]; reset(): void }

/** Keeps the newest `limit` calls. */
export function createLog(limit = 200_000): Log {
  let calls: Call[] = []
  return {
    add(call) {
      calls.push(call)
      if (calls.length > limit * 1.1) calls = calls.slice(-limit)
    },
    all: () => [...calls],
    reset() {
      calls = []
    },
  }
}
