import type { ZodType } from 'zod'
import type { Housekeeping, JobInputs, JobName } from '../domain/jobs.ts'

export type TaskContext = {
  readonly housekeeping: Housekeeping
  /** Aborted when the server shuts down. */
  readonly signal: AbortSignal
}

export type TaskDefinition<Name extends JobName> = {
  readonly name: Name
  readonly input: ZodType<JobInputs[Name]>
  /** Number of attempts, with growing pauses, before it is given up. */
  readonly attempts: number
  /** Also runs at these times (crontab syntax, UTC); only for jobs without input. */
  readonly cron?: string
  /** Only calls the domain. Idempotent; stops when the signal aborts. */
  readonly run: (context: TaskContext & { readonly input: JobInputs[Name] }) => Promise<void>
}

/** One kind of job, for the worker. */
export type Task = {
  readonly name: JobName
  readonly attempts: number
  readonly cron: string | null
  /** @throws ZodError for an invalid payload, errors of the job's work, and the signal's reason once it is aborted */
  perform(payload: unknown, context: TaskContext): Promise<void>
}

export function task<Name extends JobName>({ name, input, attempts, cron, run }: TaskDefinition<Name>): Task {
  return {
    name,
    attempts,
    cron: cron ?? null,
    async perform(payload, context) {
      await run({ ...context, input: input.parse(payload) })
      // A job that was stopped half-way must not count as done: the queue runs it again.
      context.signal.throwIfAborted()
    },
  }
}
