import type pg from 'pg'
import type { Reference } from './references.ts'
import type { Client, Skypool } from './skypool.ts'

/** What every row of the bench works with. Nothing in it is shared with a real installation. */
export type Bench = {
  /** A folder on the file system that everything measured writes to. */
  readonly dir: string
  readonly rounds: number
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

/** One printed line: what, figure, bar, goal. `ratio` is ours against the reference, greater is better. */
export type Line = {
  readonly row: number
  readonly measure: string
  readonly figure: string
  readonly bar: string
  readonly goal: string
  readonly met: boolean
}
