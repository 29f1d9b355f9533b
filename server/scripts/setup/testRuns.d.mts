/** Types of testRuns.mjs, which is JavaScript because it runs before anything is compiled. */

/** `report` is what reporter.mjs wrote; null when the runner ended before it wrote one. */
export type TestRun = { readonly code: number; readonly report: object | null }

export type RunOptions = {
  readonly files?: readonly string[]
  readonly reportFile: string
  readonly config?: string
  readonly env?: NodeJS.ProcessEnv
  readonly show?: boolean
  readonly fileMinutes?: number
}

export function runVitest(options: RunOptions): Promise<TestRun>

export function withUnstarted(
  first: TestRun,
  runFiles: (files: readonly string[]) => Promise<TestRun>,
): Promise<TestRun>

export function countWithSecondRun(
  first: TestRun,
  runAlone: (file: string) => Promise<TestRun>,
  print?: (line: string) => void,
): Promise<{ passed: number; failed: number; skipped: number }>
