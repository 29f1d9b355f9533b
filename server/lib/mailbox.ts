/** What one reader has still to read. */
export type Mailbox<Letter> = AsyncIterableIterator<Letter, undefined> & {
  /** Does nothing after the end. */
  put(letter: Letter): void
}

export type MailboxOptions<Letter> = {
  /** Ends the mailbox, also for a reader that waits; so does the reader's leaving. */
  readonly signal: AbortSignal
  /** One letter that says at least as much as both: when the box is full, the two newest become one. */
  combine(older: Letter, newer: Letter): Letter
  /** Once, at the end. */
  onEnd(): void
}

const CAPACITY = 64

/** A bounded queue with one reader. */
export function createMailbox<Letter>({ signal, combine, onEnd }: MailboxOptions<Letter>): Mailbox<Letter> {
  const letters: Letter[] = []
  let ended = false
  let wake = () => {}

  function end(): void {
    if (ended) return
    ended = true
    letters.length = 0
    signal.removeEventListener('abort', end)
    onEnd()
    wake()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()

  return {
    put(letter) {
      if (ended) return
      const newest = letters.length >= CAPACITY ? letters.pop() : undefined
      letters.push(newest === undefined ? letter : combine(newest, letter))
      wake()
    },
    async next() {
      while (letters.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
      const letter = letters.shift()
      return letter === undefined ? { done: true, value: undefined } : { done: false, value: letter }
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
