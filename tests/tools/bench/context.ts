import type pg from 'pg'
import type { Reference } from './references.ts'
import type { Client, Skypool } from './skypool.ts'

/** Context of all rows of the bench. Nothing in it is shared with a real installation. */
export type Bench = {
  /** A folder on the file system that everything measured writes to. */
  readonly dir: string
  readonly rounds: number
  /** Environment of references that run in as many processes as Skypool. */
  readonly workers: { readonly WORKERS: string }
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly skypool: Skypool
  readonly client: Client
  readonly nginx: Reference
  readonly node: Reference
  readonly tus: Reference
  /** The folder that the references serve and write. */
  readonly referenceRoot: string
}

/** One printed line: measure, figure, bar, goal. `ratio` is Skypool's speed relative to the reference; higher is better. */
export type Line = {
  readonly row: number
  readonly measure: string
  readonly figure: string
  readonly bar: string
  readonly goal: string
  readonly met: boolean
}
