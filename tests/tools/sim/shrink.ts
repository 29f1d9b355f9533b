import type { Outcome, Step } from './outcome.ts'

const MOST_RUNS = 80

/** Fewer steps, and fewer of them with faults, that still fail in the same way. */
export async function shrink<Name extends string>(
  failed: Outcome<Name>,
  run: (steps: readonly Step<Name>[]) => Promise<Outcome<Name>>,
): Promise<Outcome<Name>> {
  let best = failed
  let runs = 0
  const rule = ruleOf(failed)

  async function tryWith(steps: readonly Step<Name>[]): Promise<boolean> {
    if (runs >= MOST_RUNS) return false
    runs += 1
    const outcome = await run(steps)
    if (ruleOf(outcome) !== rule) return false
    best = outcome
    return true
  }

  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.steps.length; ) {
      const isGone = await tryWith([...best.steps.slice(0, at), ...best.steps.slice(at + size)])
      if (!isGone) at += size
    }
  }
  for (const step of best.steps) {
    if (step.faults) await tryWith(best.steps.map((other) => (other === step ? { ...step, faults: false } : other)))
    if (step.death)
      await tryWith(best.steps.map((other) => (other.number === step.number ? { ...other, death: null } : other)))
  }
  return best
}

/** The first violated invariant, without its details. */
function ruleOf({ violations }: Outcome): string | undefined {
  return violations[0]?.replace(/[^\s:(]*\d[^\s:]*/g, '*').slice(0, 60)
}
