import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseTimestamp } from '../../../server/db/pool.ts'
import { createTestDatabase } from '../../setup/database.ts'

const byPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

describe('a timestamp as PostgreSQL sends it', () => {
  it.each([
    '2026-11-22 11:37:10+00',
    '2026-11-22 11:37:10.1+00',
    '2026-11-22 11:37:10.12+00',
    '2026-11-22 11:37:10.123+00',
    '2026-11-22 11:37:10.123456+00',
    '2026-11-22 11:37:10.999999+00',
    '2024-02-29 23:59:59.999+00',
    '1969-12-31 23:59:59.001+00',
    '2026-11-22 11:37:10.123+01',
    '2026-11-22 11:37:10.123-03:30',
    '2026-11-22 11:37:10+05:45',
    '0044-03-15 12:00:00+00',
    '0044-03-15 12:00:00+00 BC',
    '12026-11-22 11:37:10.123+00',
    'infinity',
    '-infinity',
  ])('%s is what pg makes of it', (text) => {
    expect(parseTimestamp(text)).toEqual(byPg(text))
  })

  it('keeps every millisecond', () => {
    for (let ms = 0; ms < 1000; ms += 1) {
      const fraction = `.${String(ms).padStart(3, '0')}`.replace(/\.?0+$/, '')
      expect(parseTimestamp(`2026-11-22 11:37:10${fraction}+00`)).toEqual(
        new Date(Date.UTC(2026, 10, 22, 11, 37, 10, ms)),
      )
    }
  })

  it('comes out of a pool as it went in, in every time zone', async () => {
    const { pool, close } = await createTestDatabase()
    onTestFinished(close)
    const at = new Date(Date.UTC(2026, 10, 22, 11, 37, 10, 90))
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']) {
      const client = await pool.connect()
      await client.query(`set time zone '${zone}'`)
      const { rows } = await client.query<{ at: Date; never: Date | null }>(
        'select $1::timestamptz as at, null::timestamptz as never',
        [at],
      )
      client.release(true)
      expect(rows).toEqual([{ at, never: null }])
    }
  })
})
