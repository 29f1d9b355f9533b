import { fork } from 'node:child_process'
import type { Connection } from '../../../server/db/embedded/embeddedPostgres.ts'
import type { Outcome } from './outcome.ts'

type Work = { readonly connection: Connection; readonly seeds: readonly string[] }
export type Told = { readonly outcome?: Outcome; readonly text?: string }
/** Without what only the worker needs; a map cannot be sent. */
type Message = {
  readonly text?: string
  readonly outcome?: Omit<Outcome, 'faults' | 'log'> & { faults: [string, number][] }
}

const WORK = 'SIM_WORK'

/** Runs the same script as a separate process, which receives its work and sends the results. */
export function runElsewhere(script: string, work: Work, onText: (text: string) => void): Promise<Outcome[]> {
  const child = fork(script, process.argv.slice(2), { env: { ...process.env, [WORK]: JSON.stringify(work) } })
  const outcomes: Outcome[] = []
  child.on('message', ({ text, outcome }: Message) => {
    if (text !== undefined) onText(text)
    if (outcome) outcomes.push({ ...outcome, log: [], faults: new Map(outcome.faults) })
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve(outcomes) : reject(new Error(`A worker ended with ${code}.`))))
  })
}

/** In a worker process: its work. Null in the main process. */
export function workerOf({ env, send }: NodeJS.Process) {
  const given = env[WORK]
  if (given === undefined || !send) return null
  const work = JSON.parse(given) as Work
  return {
    ...work,
    tell({ text, outcome }: Told): void {
      const short = outcome && { ...outcome, log: undefined, faults: [...outcome.faults] }
      process.send?.({ ...(text !== undefined && { text }), ...(short && { outcome: short }) })
    },
  }
}
