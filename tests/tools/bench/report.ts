import type { Line } from './context.ts'
import type { Result } from './measure.ts'

type Target = { readonly against: string; readonly bar: number; readonly goal: number }

/** Skypool's speed as a ratio of the reference's: 1 is as fast, 0.5 takes twice as long. */
export function ratioLine(row: number, measure: string, results: readonly Result[], target: Target): Line {
  const ours = find(results, 'skypool')
  const ratio = find(results, target.against).median.seconds / ours.median.seconds
  const others = results.map((each) => `${each.name} ${seconds(each)}`).join(', ')
  return {
    row,
    measure: `${measure} (${target.against})`,
    figure: `${ratio.toFixed(2)}  [${others}]`,
    bar: target.bar ? target.bar.toFixed(2) : '-',
    goal: target.goal.toFixed(2),
    met: ratio >= target.bar,
  }
}

function find(results: readonly Result[], name: string): Result {
  const found = results.find((each) => each.name === name)
  if (!found) throw new Error(`no result of ${name}`)
  return found
}

function seconds({ median, min, max }: Result): string {
  return `${digits(median.seconds)} s (${digits(min)}..${digits(max)}; cpu ${digits(median.cpuSeconds)} s)`
}

function digits(value: number): string {
  return value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)
}

export function printLine(line: Line): void {
  const verdict = line.met ? 'ok  ' : 'MISS'
  console.log(`${verdict} ${line.row} ${line.measure}: ${line.figure} | bar ${line.bar} | goal ${line.goal}`)
}
