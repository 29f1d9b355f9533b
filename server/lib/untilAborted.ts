/**
 * What `work` comes to, or a rejection with the signal's reason as soon as that is aborted: for work that may hang, such as a
 * stream that nothing comes out of. What is left of it goes on by itself and is not heard of.
 */
export async function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  // Whatever comes of it when nobody waits any more.
  work.catch(() => undefined)
  signal.throwIfAborted()
  let stop = (): void => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}
