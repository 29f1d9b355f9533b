import { expect, it, vi } from 'vitest'
import { createBatcher, type Outcome } from '../../server/lib/batcher.ts'

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
