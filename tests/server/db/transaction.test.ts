import type pg from 'pg'
import { expect, it } from 'vitest'
import { transaction } from '../../../server/db/pool.ts'

/** A pool of one connection whose statement `failing` is done, but its answer lost. */
function poolLosing(failing: string) {
  const released: unknown[] = []
  const client = {
    async query(text: string) {
      if (text === failing) throw new Error(`The answer to ${text} was lost.`)
    },
    release: (error: unknown) => void released.push(error),
  }
  const pool = { connect: async () => client } as unknown as pg.Pool
  return { pool, released }
}

it.each(['begin', 'rollback', 'commit'])('closes a connection whose %s may have been done', async (failing) => {
  const { pool, released } = poolLosing(failing)
  const work = async () => {
    if (failing === 'rollback') throw new Error('It does not work.')
  }
  await expect(transaction(pool, work)).rejects.toThrow(failing === 'rollback' ? 'It does not work.' : Error)
  expect(released).toEqual([expect.any(Error)])
})

it('gives back a connection after work that was refused', async () => {
  const { pool, released } = poolLosing('nothing')
  const refused = transaction(pool, async () => {
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  await transaction(pool, async () => undefined)
  expect(released).toEqual([undefined, undefined])
})
