type Waiting<Value> = { readonly resolve: (value: Value) => void; readonly reject: (reason: unknown) => void }

/**
 * Gathers single lookups made while one level of a query resolves into one call, and remembers the answers for as long
 * as the returned function lives (one request). `load` gets each id once and answers by id; what it leaves out is `missing`.
 */
export function batch<Value>(
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  missing: Value,
): (id: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>()
  let waiting = new Map<string, Waiting<Value>>()

  async function flush(): Promise<void> {
    const group = waiting
    waiting = new Map()
    try {
      const values = await load([...group.keys()])
      for (const [id, { resolve }] of group) resolve(values.get(id) ?? missing)
    } catch (error) {
      for (const { reject } of group.values()) reject(error)
    }
  }

  return (id) => {
    const before = known.get(id)
    if (before) return before
    // After all promise callbacks that are due: by then every field of this level has asked.
    if (waiting.size === 0) void Promise.resolve().then(() => process.nextTick(flush))
    const value = new Promise<Value>((resolve, reject) => waiting.set(id, { resolve, reject }))
    known.set(id, value)
    return value
  }
}
