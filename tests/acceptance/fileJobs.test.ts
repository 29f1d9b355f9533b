import { expect, it } from 'vitest'
import { moveThroughKills } from '../tools/crashTest/move.ts'

/** More by MEGABYTES=3000 KILLS=20, as `npm run crash-test -- --move` does. */
const MOVE = {
  from: 'google',
  to: 'dropbox',
  megabytes: Number(process.env.MEGABYTES ?? 72),
  kills: Number(process.env.KILLS ?? 4),
  failures: 3,
  seed: 1,
} as const

const TIMEOUT_MS = 180_000 + MOVE.kills * 30_000 + MOVE.megabytes * 1_000

it(
  `a folder moved from Google Drive to Dropbox survives ${MOVE.kills} kills and failures of both: it is always whole in one of them`,
  async () => {
    const { violations, kills, failed, looks } = await moveThroughKills(MOVE)
    expect(violations).toEqual([])
    expect({ kills, failed }).toEqual({ kills: MOVE.kills, failed: { google: MOVE.failures, dropbox: MOVE.failures } })
    expect(looks).toBeGreaterThan(MOVE.kills)
  },
  TIMEOUT_MS,
)
