import { describe, expect, it } from 'vitest'
import { type Candidate, placeFile } from '../../server/domain/groupClouds/placement.ts'
import type { PlacementRule } from '../../server/domain/services.ts'

const GB = 1024 ** 3

function member(name: string, position: number, overrides: Partial<Candidate> = {}): Candidate {
  return {
    accountId: name,
    name,
    position,
    status: 'CONNECTED',
    quotaBytes: 10 * GB,
    usedBytes: 0,
    reservedBytes: 0,
    keepFreeBytes: 0,
    ...overrides,
  }
}

type Case = {
  title: string
  members: Candidate[]
  size: number
  rule: PlacementRule
  previous?: string
  goesTo: string
  why: string
}

const CASES: Case[] = [
  {
    title: 'takes the only member',
    members: [member('This server', 0)],
    size: GB,
    rule: 'MOST_FREE',
    goesTo: 'This server',
    why: 'This server, the only account of this group cloud',
  },
  {
    title: 'prefers the most free space and names who is full',
    members: [
      member('Drive 1', 0, { usedBytes: 10 * GB }),
      member('Box', 1, { usedBytes: GB }),
      member('Dropbox 2', 2),
    ],
    size: GB,
    rule: 'MOST_FREE',
    goesTo: 'Dropbox 2',
    why: 'Dropbox 2, because it has the most free space; Drive 1 is full',
  },
  {
    title: 'counts what is reserved and what is to be kept free',
    members: [
      member('A', 0, { reservedBytes: 4 * GB }),
      member('B', 1, { keepFreeBytes: 5 * GB }),
      member('C', 2, { usedBytes: 3 * GB }),
    ],
    size: 1,
    rule: 'MOST_FREE',
    goesTo: 'C',
    why: 'C, because it has the most free space',
  },
  {
    title: 'takes a member of unknown size when nothing else fits',
    members: [member('A', 0, { quotaBytes: null }), member('B', 1, { usedBytes: 9.5 * GB })],
    size: GB,
    rule: 'MOST_FREE',
    goesTo: 'A',
    why: 'A, because no limit is known for it; B has only 512 MB free',
  },
  {
    title: 'fills in order of position, not of the list',
    members: [member('second', 1), member('first', 0, { usedBytes: 9 * GB })],
    size: GB,
    rule: 'IN_ORDER',
    goesTo: 'first',
    why: 'first, because it is the first in order with room',
  },
  {
    title: 'passes over an expired member',
    members: [member('Drive', 0, { status: 'EXPIRED' }), member('Box', 1)],
    size: 0,
    rule: 'IN_ORDER',
    goesTo: 'Box',
    why: 'Box, because it is the first in order with room; Drive needs to be connected again',
  },
  {
    title: 'goes round',
    members: [member('A', 0), member('B', 1), member('C', 2)],
    size: 1,
    rule: 'ROUND_ROBIN',
    previous: 'A',
    goesTo: 'B',
    why: 'B, because it is its turn',
  },
  {
    title: 'starts again after the last, passing over who is full',
    members: [member('A', 0, { usedBytes: 10 * GB }), member('B', 1), member('C', 2)],
    size: 1,
    rule: 'ROUND_ROBIN',
    previous: 'C',
    goesTo: 'B',
    why: 'B, because it is its turn; A is full',
  },
]

describe('placeFile', () => {
  it.each(CASES)('$title', ({ members, size, rule, previous, goesTo, why }) => {
    const expected = { placed: true, accountId: goesTo, pieces: [{ accountId: goesTo, offset: 0, size }], why }
    expect(placeFile(members, size, rule, previous ?? null)).toEqual(expected)
  })

  it('fits exactly to the last byte, and not one byte more', () => {
    const nearlyFull = [member('A', 0, { usedBytes: 9 * GB })]
    expect(placeFile(nearlyFull, GB, 'MOST_FREE').placed).toBe(true)
    expect(placeFile(nearlyFull, GB + 1, 'MOST_FREE')).toEqual({
      placed: false,
      freeBytes: GB,
      why: 'There is no room for 1 GB: A has only 1 GB free.',
    })
  })

  it('refuses with the reason of every member', () => {
    const members = [member('A', 0, { usedBytes: 10 * GB }), member('B', 1, { status: 'EXPIRED' })]
    expect(placeFile(members, 1, 'ROUND_ROBIN')).toEqual({
      placed: false,
      freeBytes: 0,
      why: 'There is no room for 1 Bytes: A is full; B needs to be connected again.',
    })
  })

  it('says so when a group cloud has no accounts', () => {
    expect(placeFile([], 1, 'MOST_FREE')).toMatchObject({ placed: false, freeBytes: 0 })
  })

  it('never reports negative space when an account is over its quota', () => {
    expect(placeFile([member('A', 0, { usedBytes: 11 * GB })], 1, 'IN_ORDER')).toMatchObject({ freeBytes: 0 })
  })
})
