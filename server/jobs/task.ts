import type { ZodType } from 'zod'
import type { Housekeeping } from '../domain/housekeeping.ts'
import type { JobInputs, JobName } from '../domain/jobs.ts'

/** One kind of job. `run` only calls the domain, may run twice without harm and stops on the signal. */
export type Task<Name extends JobName> = {
  readonly name: Name
  readonly input: ZodType<JobInputs[Name]>
  /** How often it is tried, with growing pauses, before it is given up. */
  readonly attempts: number
  /** Also runs at these times, in crontab form and UTC; only for jobs without input. */
  readonly cron?: string
  readonly run: (context: TaskContext<JobInputs[Name]>) => Promise<void>
}

export type TaskContext<Input> = {
  readonly input: Input
  readonly housekeeping: Housekeeping
  /** Aborted when the server shuts down. */
  readonly signal: AbortSignal
}

export type AnyTask = { [Name in JobName]: Task<Name> }[JobName]

export function task<Name extends JobName>(definition: Task<Name>): Task<Name> {
  return definition
}
