const EVERY_MS = 50

export type Health = { readonly asked: number; readonly failed: number; readonly p99Ms: number }

/** Requests the server's state twenty times a second. */
export function watchHealth(
  url: string,
  { path = '/health', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): { stop(): Promise<Health> } {
  const times: number[] = []
  const asking = new Set<Promise<void>>()
  let failed = 0
  const ask = async (): Promise<void> => {
    const began = performance.now()
    const answer = await fetch(`${url}${path}`, { headers }).catch(() => null)
    await answer?.arrayBuffer()
    if (!answer?.ok) failed += 1
    times.push(performance.now() - began)
  }
  const timer = setInterval(() => {
    const one = ask().finally(() => asking.delete(one))
    asking.add(one)
  }, EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(asking)
      times.sort((one, other) => one - other)
      return { asked: times.length, failed, p99Ms: Math.round(times[Math.floor(times.length * 0.99)] ?? 0) }
    },
  }
}
