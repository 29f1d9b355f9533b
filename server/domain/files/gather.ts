import { isRefusal } from '../../db/transaction.ts'
import { createBatcher, type Outcome } from '../../lib/batcher.ts'
import type { File } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { type ChangeDeps, changeTree } from './change.ts'
import { getFiles } from './lookup.ts'
import { type Step, takeSteps } from './steps.ts'

/** Steps of one transaction: few enough that whoever comes next does not wait long. */
const MOST_STEPS = 64

/** The entry afterwards; null when it is gone. */
export type StepOutcome = Outcome<File | null>

/**
 * Single changes of a user that come at the same time share one transaction: its locks, its commit, and a few statements for all
 * of them. Each has its own outcome.
 */
export function createGathering(deps: ChangeDeps) {
  const users = new Map<string, { open: number; take: (step: Step) => Promise<File | null> }>()

  return async (viewer: Viewer, step: Step): Promise<File | null> => {
    const { userId } = viewer
    const run = (steps: readonly Step[]) => takeAll(deps, { userId }, steps)
    const user = users.get(userId) ?? { open: 0, take: createBatcher({ run, limit: MOST_STEPS }) }
    users.set(userId, user)
    user.open += 1
    try {
      return await user.take(step)
    } finally {
      user.open -= 1
      if (user.open === 0) users.delete(userId)
    }
  }
}

/** Steps on one entry are done one after the other, in the order given; all others together. */
async function takeAll(deps: ChangeDeps, viewer: { userId: string }, steps: readonly Step[]): Promise<StepOutcome[]> {
  const outcomes = new Map<Step, StepOutcome>()
  for (let left = steps; left.length > 0; left = left.filter((step) => !outcomes.has(step))) {
    const ids = new Set<string>()
    const round = left.filter(({ id }) => !ids.has(id) && ids.add(id))
    const results = await takeTogether(deps, viewer, round)
    for (const [index, step] of round.entries()) outcomes.set(step, results[index] ?? LEFT_OVER)
  }
  return steps.map((step) => outcomes.get(step) ?? LEFT_OVER)
}

const LEFT_OVER = { ok: false, error: new Error('A change was left over.') } as const

/**
 * Each step in one transaction with the others; where PostgreSQL refuses it as a whole, each by itself, so that one step does not
 * stop the others. Each id is in one step alone.
 */
export async function takeTogether(
  deps: ChangeDeps,
  viewer: Pick<Viewer, 'userId'>,
  steps: readonly Step[],
): Promise<StepOutcome[]> {
  try {
    return await take(deps, viewer, steps)
  } catch (error) {
    if (steps.length === 1 || !isRefusal(error)) throw error
  }
  const outcomes: StepOutcome[] = []
  for (const step of steps) {
    outcomes.push(...(await take(deps, viewer, [step]).catch((error: unknown) => [{ ok: false, error } as const])))
  }
  return outcomes
}

function take(deps: ChangeDeps, viewer: Pick<Viewer, 'userId'>, steps: readonly Step[]): Promise<StepOutcome[]> {
  return changeTree(deps, viewer, async (change) => {
    const refusals = await takeSteps(change, steps)
    const files = await getFiles(
      change.tx,
      viewer,
      steps.map(({ id }) => id),
    )
    return steps.map((step, index) => {
      const error = refusals.get(step)
      return error ? { ok: false, error } : { ok: true, value: files[index] ?? null }
    })
  })
}
