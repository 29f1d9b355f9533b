import type { Outcome } from './outcome.ts'

/** What is needed to reproduce and fix it. `again`: the command that repeats it. */
export function describe(failed: Outcome, shrunk: Outcome, again: string): string {
  const steps = shrunk.steps.map(({ number, name, death, faults }) => {
    const dies = death ? `, dies ${death.when} step ${death.at}` : ''
    return `${number} ${name}${faults ? '' : ' (calm)'}${dies}`
  })
  return [
    `seed ${failed.seed} failed:`,
    ...failed.violations.map((violation) => `  ${violation}`),
    `again: ${again}`,
    `fewest steps (${steps.length} of ${failed.steps.length}): ${steps.join('; ')}`,
    ...shrunk.violations.map((violation) => `  ${violation}`),
    ...shrunk.log.map((line) => `    ${line}`),
  ].join('\n')
}

/** One line of figures. */
export function summary(outcomes: readonly Outcome[], seconds: number): string {
  const faults = new Map<string, number>()
  for (const outcome of outcomes) {
    for (const [name, count] of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + count)
  }
  const steps = outcomes.reduce((sum, outcome) => sum + outcome.steps.length, 0)
  const injected = [...faults.values()].reduce((sum, count) => sum + count, 0)
  const outsideChanges = outcomes.reduce((sum, outcome) => sum + (outcome.outsideChanges ?? 0), 0)
  const failed = outcomes.filter(({ violations }) => violations.length > 0).length
  const kinds = Object.fromEntries([...faults].sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.stringify({
    schedules: outcomes.length,
    steps,
    ...(outsideChanges > 0 && { outsideChanges }),
    injected,
    failed,
    seconds: Math.round(seconds),
    faults: kinds,
  })
}
