import { describe, expect, it } from 'vitest'
import { createMailbox } from '../../../server/lib/mailbox.ts'

function open() {
  const leaving = new AbortController()
  let ends = 0
  const mailbox = createMailbox<number[]>({
    signal: leaving.signal,
    combine: (older, newer) => [...older, ...newer],
    onEnd: () => (ends += 1),
  })
  return { leaving, mailbox, ends: () => ends }
}

describe('a mailbox', () => {
  it('hands letters over in order, also to a reader that waits', async () => {
    const { mailbox } = open()
    const first = mailbox.next()
    mailbox.put([1])
    mailbox.put([2])
    expect(await first).toEqual({ done: false, value: [1] })
    expect(await mailbox.next()).toEqual({ done: false, value: [2] })
  })

  it('is bounded: what does not fit goes into the newest letter', async () => {
    const { mailbox } = open()
    for (let letter = 1; letter <= 1000; letter += 1) mailbox.put([letter])
    const read: number[][] = []
    mailbox.put([1001])
    while (read.flat().length < 1001) read.push((await mailbox.next()).value ?? [])
    expect(read.length).toBeLessThan(100)
    expect(read.flat()).toEqual(Array.from({ length: 1001 }, (_, index) => index + 1))
  })

  it.each(['abort', 'return'] as const)('ends once by %s, with what was left unread', async (way) => {
    const { leaving, mailbox, ends } = open()
    const waiting = mailbox.next()
    if (way === 'abort') leaving.abort()
    else await mailbox.return?.()
    mailbox.put([1])
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await mailbox.next()).toEqual({ done: true, value: undefined })
    leaving.abort()
    expect(ends()).toBe(1)
  })
})
