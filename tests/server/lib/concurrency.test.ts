import { describe, expect, it, vi } from 'vitest'
import {
  createBatcher,
  createFairSemaphore,
  createGroupedRead,
  eachWithPauses,
  type Outcome,
} from '../../../server/lib/concurrency.ts'

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
const createError = () => new Error('enough')

describe('fair turns', () => {
  it('let the first task of somebody else begin at once, however many of one user wait', async () => {
    const { begun, task } = tasks()
    const turns = createFairSemaphore({ limit: 3, perOwner: 2, maxWaiting: 100, createError })
    for (let index = 0; index < 30; index += 1) void turns('ada', task(`ada ${index}`))
    void turns('ben', task('ben'))
    await settled()
    expect(begun).toEqual(['ada 0', 'ada 1', 'ben'])
  })

  it('go round those who wait', async () => {
    const { begun, task, end } = tasks()
    const turns = createFairSemaphore({ limit: 1, perOwner: 1, maxWaiting: 100, createError })
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
    const turns = createFairSemaphore({ limit: 4, perOwner: 1, maxWaiting: 2, createError })
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
    const turns = createFairSemaphore({ limit: 1, perOwner: 1, maxWaiting: 2, createError })
    await expect(turns('ada', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await turns('ada', async () => 'yes')).toBe('yes')
  })
})

function recording(limit = 100) {
  const batches: number[][] = []
  const submit = createBatcher<number, number>({
    limit,
    run: async (items) => {
      batches.push([...items])
      await new Promise((resolve) => setTimeout(resolve, 50))
      return items.map(
        (item): Outcome<number> =>
          item < 0 ? { ok: false, error: new Error(`no ${item}`) } : { ok: true, value: item * 2 },
      )
    },
  })
  return { batches, submit }
}

it('gathers what comes during a run into the next one, in order', async () => {
  const { batches, submit } = recording()
  const first = submit(1)
  await vi.waitUntil(() => batches.length === 1, { interval: 1 })
  const results = await Promise.all([first, ...[2, 3, 4].map(submit)])
  expect(results).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2, 3, 4]])
})

it('gathers what comes in one turn', async () => {
  const { batches, submit } = recording()
  await Promise.all([1, 2, 3].map(submit))
  expect(batches).toEqual([[1, 2, 3]])
})

it('keeps to the limit', async () => {
  const { batches, submit } = recording(2)
  await Promise.all([1, 2, 3, 4].map(submit))
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
})

it('gives each item its own outcome', async () => {
  const { submit } = recording()
  const results = await Promise.allSettled([1, -1, 2].map(submit))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

it('rejects all of a run that throws, and goes on', async () => {
  let broken = true
  const submit = createBatcher<number, number>({
    limit: 10,
    run: async (items) => {
      if (broken) throw new Error('broken')
      return items.map((value) => ({ ok: true, value }))
    },
  })
  const results = await Promise.allSettled([submit(1), submit(2)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  expect(await submit(3)).toBe(3)
})

describe('grouped reads', () => {
  function grouped() {
    const calls: [string, string[]][] = []
    const read = createGroupedRead<string>(async (owner, ids) => {
      calls.push([owner, [...ids]])
      if (ids.includes('broken')) throw new Error('It breaks.')
      return new Map(ids.filter((id) => id !== 'nothing').map((id) => [id, `${owner}'s ${id}`]))
    })
    return { calls, read }
  }

  it('of one owner in one turn are one call, and everyone gets their own', async () => {
    const { calls, read } = grouped()
    const found = await Promise.all([read('Ada', ['a', 'nothing']), read('Ben', ['a']), read('Ada', ['b', 'a'])])
    expect(found.map((values) => [...values])).toEqual([
      [['a', "Ada's a"]],
      [['a', "Ben's a"]],
      [
        ['b', "Ada's b"],
        ['a', "Ada's a"],
      ],
    ])
    expect(calls).toEqual([
      ['Ada', ['a', 'nothing', 'b']],
      ['Ben', ['a']],
    ])
  })

  it('remember nothing, and fail together', async () => {
    const { calls, read } = grouped()
    await read('Ada', ['a'])
    const outcomes = await Promise.allSettled([read('Ada', ['a']), read('Ada', ['broken'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await read('Ada', ['a'])
    expect(calls.map(([, ids]) => ids)).toEqual([['a'], ['a', 'broken'], ['a']])
  })

  it('are split where they are many', async () => {
    const { calls, read } = grouped()
    const many = (from: string) => Array.from({ length: 150 }, (_, index) => `${from}${index}`)
    const found = await Promise.all([read('Ada', many('a')), read('Ada', many('b')), read('Ada', many('c'))])
    expect(found.map(({ size }) => size)).toEqual([150, 150, 150])
    expect(calls.map(([, ids]) => ids.length)).toEqual([150, 150, 150])
  })
})

describe('many items', () => {
  it('are used in their order, with a turn of the event loop for others in between', async () => {
    const used: number[] = []
    const use = (item: number) => void used.push(item)
    const seen: number[] = []
    let hasEnded = false
    const using = eachWithPauses([1, 2, 3, 4, 5], use, 2).then(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      seen.push(used.length)
      await settled()
    }
    await using
    expect(used).toEqual([1, 2, 3, 4, 5])
    expect(seen).toEqual([2, 4])
  })

  it('fail with the first that fails', async () => {
    const used: number[] = []
    const use = (item: number) => {
      if (item === 3) throw createError()
      used.push(item)
    }
    await expect(eachWithPauses([1, 2, 3, 4], use, 1)).rejects.toThrow('enough')
    expect(used).toEqual([1, 2])
  })
})
