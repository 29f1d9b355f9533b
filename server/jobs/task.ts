import type { ZodType } from 'zod'
import type { Housekeeping } from '../domain/housekeeping.ts'
import type { JobInputs, JobName } from '../domain/jobs.ts'

export type TaskContext = {
  readonly housekeeping: Housekeeping
  /** Aborted when the server shuts down. */
  readonly signal: AbortSignal
}

export type TaskDefinition<Name extends JobName> = {
  readonly name: Name
  readonly input: ZodType<JobInputs[Name]>
  /** How often it is tried, with growing pauses, before it is given up. */
  readonly attempts: number
  /** Also runs at these times, in crontab form and UTC; only for jobs without input. */
  readonly cron?: string
  /** Only calls the domain, may run twice without harm and stops on the signal. */
  readonly run: (context: TaskContext & { readonly input: JobInputs[Name] }) => Promise<void>
}

/** One kind of job, as the worker sees it. */
export type Task = {
  readonly name: JobName
  readonly attempts: number
  readonly cron: string | null
  /** @throws ZodError when the payload is not this job's input, whatever its work throws, and the signal's reason once it is aborted */
  perform(payload: unknown, context: TaskContext): Promise<void>
}

export function task<Name extends JobName>({ name, input, attempts, cron, run }: TaskDefinition<Name>): Task {
  return {
    name,
    attempts,
    cron: cron ?? null,
    async perform(payload, context) {
      await run({ ...context, input: input.parse(payload) })
      // Whatever stopped half-way must not count as done: the queue runs it again.
      context.signal.throwIfAborted()
    },
  }
}
