import type pg from 'pg'
import type { Enqueue } from '../../../server/domain/jobs.ts'
import { ALL_TASKS, attemptsOf } from '../../../server/jobs/allTasks.ts'
import type { TaskContext } from '../../../server/jobs/task.ts'
import type { Chance } from './random.ts'

const FREE_KEY = 'update sim.jobs set key = null, superseded = true where key = $1::text and claimed'
const ADD = `insert into sim.jobs (name, input, key, run_at)
  values ($1::text, $2::jsonb, $3::text, now() + make_interval(secs => $4::float8))
  on conflict (key) do update set input = excluded.input, run_at = excluded.run_at, attempts = 0`

/** Jobs in a table of the simulation, with the rules of the real queue: they exist when their transaction commits, and a waiting job with the same key is replaced. */
export const enqueue: Enqueue = async (tx, name, input, { key = null, delaySeconds = 0 } = {}) => {
  const run = async (text: string, values: readonly unknown[]): Promise<void> => {
    if ('$executeRawUnsafe' in tx) await tx.$executeRawUnsafe(text, ...values)
    else await tx.query(text, [...values])
  }
  if (key !== null) await run(FREE_KEY, [key])
  await run(ADD, [name, JSON.stringify(input), key, delaySeconds])
}

type Job = { readonly id: string; readonly name: string; readonly input: unknown; readonly attempts: number }

/** `failed`: it threw and is retried; `lost`: it has no attempts left, or the process crashed while running it. */
export type JobRun = {
  readonly name: string
  readonly outcome: 'done' | 'failed' | 'given up'
  readonly error: unknown
}

/** One due job, any of them; null when none is due. */
export async function runJob(pool: pg.Pool, context: TaskContext, chance: Chance): Promise<JobRun | null> {
  const { rows } = await pool.query<Job>(
    `select id::text, name, input, attempts from sim.jobs where not claimed and run_at <= now() order by run_at, id`,
  )
  const job = chance.pick(rows)
  const task = ALL_TASKS.find(({ name }) => name === job?.name)
  if (!job || !task) return null
  await pool.query('update sim.jobs set claimed = true, attempts = attempts + 1 where id = $1', [job.id])
  try {
    await task.perform(job.input, context)
    await pool.query('delete from sim.jobs where id = $1', [job.id])
    return { name: job.name, outcome: 'done', error: null }
  } catch (error) {
    const isOver = job.attempts + 1 >= attemptsOf(task.name)
    if (isOver) await pool.query('delete from sim.jobs where id = $1', [job.id])
    return { name: job.name, outcome: isOver ? 'given up' : 'failed', error }
  }
}

const AGAIN = `update sim.jobs set claimed = false, run_at = now() + make_interval(secs => exp(least(attempts, 10)))
  where claimed and not superseded`

/** Jobs that failed, or whose process crashed, wait for a retry. */
export async function releaseJobs(pool: pg.Pool): Promise<void> {
  await pool.query(AGAIN)
  await pool.query('delete from sim.jobs where claimed')
}

export async function countJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from sim.jobs')
  return rows[0]?.count ?? 0
}
