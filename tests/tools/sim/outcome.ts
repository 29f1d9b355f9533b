/** A step of a schedule, and what goes wrong in it. */
export type Step<Name extends string = string> = {
  readonly number: number
  readonly name: Name
  /** The process crashes at its nth step, counted from the beginning of this operation. */
  readonly death: { readonly at: number; readonly when: 'before' | 'after' } | null
  /** Whether calls of this operation may fail. */
  readonly faults: boolean
}

/** What a schedule led to. */
export type Outcome<Name extends string = string> = {
  readonly seed: string
  readonly violations: readonly string[]
  /** Hash of all events in order. */
  readonly hash: string
  readonly log: readonly string[]
  readonly faults: ReadonlyMap<string, number>
  /** Changes that were made in an account without its servers. */
  readonly outsideChanges?: number
  readonly steps: readonly Step<Name>[]
}
