import { describe, expect, it } from 'vitest'
import { createFairTurns } from '../../../server/lib/semaphore.ts'

/** Tasks that end when they are told to. */
function tasks() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => async () => {
    begun.push(name)
    await new Promise<void>((resolve) => ends.set(name, resolve))
    return name
  }
  return { begun, task, end: (name: string) => ends.get(name)?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const refuse = () => new Error('enough')

describe('fair turns', () => {
  it('let the first task of somebody else begin at once, however many of one user wait', async () => {
    const { begun, task } = tasks()
    const turns = createFairTurns({ limit: 3, each: 2, mostWaiting: 100, refuse })
    for (let index = 0; index < 30; index += 1) void turns('ada', task(`ada ${index}`))
    void turns('ben', task('ben'))
    await settled()
    expect(begun).toEqual(['ada 0', 'ada 1', 'ben'])
  })

  it('go round those who wait', async () => {
    const { begun, task, end } = tasks()
    const turns = createFairTurns({ limit: 1, each: 1, mostWaiting: 100, refuse })
    const all = ['ada', 'ada', 'ada', 'ben', 'ben', 'cyd'].map((owner, index) => {
      return turns(owner, task(`${owner}${index}`))
    })
    for (let index = 0; index < all.length; index += 1) {
      await settled()
      end(begun.at(-1) ?? '')
    }
    await Promise.all(all)
    expect(begun).toEqual(['ada0', 'ben3', 'cyd5', 'ada1', 'ben4', 'ada2'])
  })

  it('refuse what one user asks beyond their queue, and nobody else', async () => {
    const { begun, task, end } = tasks()
    const turns = createFairTurns({ limit: 4, each: 1, mostWaiting: 2, refuse })
    const kept = [0, 1, 2].map((index) => turns('ada', task(`ada${index}`)))
    await expect(turns('ada', task('ada3'))).rejects.toThrow('enough')
    void turns('ben', task('ben'))
    await settled()
    expect(begun).toEqual(['ada0', 'ben'])
    for (const name of ['ada0', 'ada1', 'ada2']) {
      end(name)
      await settled()
    }
    expect(await Promise.all(kept)).toEqual(['ada0', 'ada1', 'ada2'])
  })

  it('are given back by what fails', async () => {
    const turns = createFairTurns({ limit: 1, each: 1, mostWaiting: 2, refuse })
    await expect(turns('ada', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await turns('ada', async () => 'yes')).toBe('yes')
  })
})
