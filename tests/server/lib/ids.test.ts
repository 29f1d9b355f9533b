import { expect, it } from 'vitest'
import { newId } from '../../../server/lib/ids.ts'

it('ids of one millisecond are in the order in which they were made, and are UUIDs of version 7', () => {
  const now = Date.now()
  const ids = Array.from({ length: 1500 }, () => newId(now))
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('an id of another time is where its time is', () => {
  const now = Date.now()
  const [older, newer] = [newId(now - 1000), newId(now)]
  expect(older < newer).toBe(true)
  expect(newId(now - 500) < newer).toBe(true)
  expect(newId(now - 500) > older).toBe(true)
})
