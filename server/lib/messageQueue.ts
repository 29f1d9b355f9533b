/** What one reader has still to read. */
export type MessageQueue<Message> = AsyncIterableIterator<Message, undefined> & {
  /** Does nothing after the end. */
  put(message: Message): void
}

export type MessageQueueOptions<Message> = {
  /** Ends the queue, also for a reader that waits; so does the reader's leaving. */
  readonly signal: AbortSignal
  /** One message that says at least as much as both: when the box is full, the two newest become one. */
  combine(older: Message, newer: Message): Message
  /** Once, at the end. */
  onEnd(): void
}

const CAPACITY = 64

/** A bounded queue with one reader. */
export function createMessageQueue<Message>({
  signal,
  combine,
  onEnd,
}: MessageQueueOptions<Message>): MessageQueue<Message> {
  const messages: Message[] = []
  let ended = false
  let wake = () => {}

  function end(): void {
    if (ended) return
    ended = true
    messages.length = 0
    signal.removeEventListener('abort', end)
    onEnd()
    wake()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()

  return {
    put(message) {
      if (ended) return
      const newest = messages.length >= CAPACITY ? messages.pop() : undefined
      messages.push(newest === undefined ? message : combine(newest, message))
      wake()
    },
    async next() {
      while (messages.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
      const message = messages.shift()
      return message === undefined ? { done: true, value: undefined } : { done: false, value: message }
    },
    async return() {
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
