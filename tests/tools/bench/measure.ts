import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** One implementation of what is measured; `run` resolves with its duration in seconds, after asserting its result. */
export type Contender = { readonly name: string; readonly pid?: number | undefined; run(): Promise<number> }

export type Sample = { readonly seconds: number; readonly cpuSeconds: number }
export type Result = { readonly name: string; readonly median: Sample; readonly min: number; readonly max: number }

/**
 * Runs the contenders in turn, A B C A B C ..., so that a change of the machine's speed affects all equally. The first rounds
 * warm up and are not counted.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
  { warmUp = 1 } = {},
): Promise<Result[]> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const contender of contenders) {
      const before = cpuSeconds(contender.pid)
      const seconds = await contender.run()
      if (round >= 0) samples.get(contender.name)?.push({ seconds, cpuSeconds: cpuSeconds(contender.pid) - before })
    }
  }
  return [...samples].map(([name, list]) => summary(name, list))
}

function summary(name: string, samples: readonly Sample[]): Result {
  const seconds = samples.map((sample) => sample.seconds)
  const cpu = samples.map((sample) => sample.cpuSeconds)
  return {
    name,
    median: { seconds: median(seconds), cpuSeconds: median(cpu) },
    min: Math.min(...seconds),
    max: Math.max(...seconds),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** User and system time of a process and its descendants, in seconds; 0 without a pid. Linux. */
function cpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return 0
  return processTree(pid).reduce((sum, each) => sum + ownCpuSeconds(each), 0)
}

/** As cpuSeconds, with the processes that have ended below it. */
export function cpuSecondsOf(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + ownCpuSeconds(each, [11, 12, 13, 14]), 0)
}

/** Proportional set size of a process and its descendants, in MiB. Linux. */
export function pssMiB(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + ownPssKiB(each), 0) / 1024
}

/** Resident set of one process alone, in MiB. */
export function rssMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** `fields`: of /proc/PID/stat without the first two. */
function ownCpuSeconds(pid: number, fields: readonly number[] = [11, 12]): number {
  const values = tryRead(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return values ? fields.reduce((sum, field) => sum + Number(values[field]), 0) / 100 : 0
}

function ownPssKiB(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(tryRead(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0)
}

export function processTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? /^PPid:\s+(\d+)/m.exec(tryRead(`/proc/${entry}/status`) ?? '')?.[1] : undefined
    if (parent) children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(entry)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** A process may end between the listing and the reading. */
function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** "2 x AMD EPYC, Node v20.20.2, commit abc1234". */
export function machine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  return `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}, commit ${commit}`
}
