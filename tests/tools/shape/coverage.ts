import { Session } from 'node:inspector/promises'
import { serverPathOf } from './chains.ts'

export type Coverage = {
  /** Paths from the project root of the `server` files with a named function that is called during `walk`. */
  filesOf(walk: () => Promise<void>): Promise<Set<string>>
}

/** Measures this process by V8's call counts. Functions that were called before count again. */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

  async function take(): Promise<Set<string>> {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called = result.filter(({ functions }) =>
      // The unnamed function that spans the whole file is its loading. Other unnamed functions do not count either.
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    )
    return new Set(called.flatMap(({ url }) => serverPathOf(url) ?? []))
  }

  return {
    async filesOf(walk) {
      await take()
      await walk()
      return take()
    },
  }
}
