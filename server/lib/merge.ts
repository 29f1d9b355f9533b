type Next<Item> = { readonly source: AsyncIterator<Item>; readonly result: IteratorResult<Item> }

/**
 * What several sources say, in the order in which they say it, until all have ended. Each is asked for one item at a time.
 * A source ends by itself when its reader has gone. @throws what a source throws
 */
export async function* merge<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item, void> {
  const ask = async (source: AsyncIterator<Item>): Promise<Next<Item>> => ({ source, result: await source.next() })
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const waiting = new Map(iterators.map((source) => [source, ask(source)]))
  while (waiting.size > 0) {
    const { source, result } = await Promise.race(waiting.values())
    if (result.done) {
      waiting.delete(source)
      continue
    }
    waiting.set(source, ask(source))
    yield result.value
  }
}
