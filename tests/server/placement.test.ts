import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  type PlacementRules,
  planCopies,
  roomBytes,
} from '../../server/domain/groupClouds/placement.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3

function member(name: string, position: number, overrides: Partial<Candidate> = {}): Candidate {
  return {
    accountId: name,
    name,
    position,
    status: 'CONNECTED',
    unreachable: false,
    draining: false,
    quotaState: overrides.quotaBytes === null ? 'UNLIMITED' : 'KNOWN',
    quotaBytes: 10 * GB,
    usedBytes: 0,
    reservedBytes: 0,
    keepFreeBytes: 0,
    ...overrides,
  }
}

const free = (name: string, position: number, bytes: number) => member(name, position, { quotaBytes: bytes })
const full = (name: string, position: number) => member(name, position, { usedBytes: 10 * GB })
const extra = (name: string, position: number, more: Partial<Candidate> = {}) =>
  member(name, position, { extraOnly: true, ...more })
const unknown = { quotaState: 'UNKNOWN', quotaBytes: null } as const

function plan(members: readonly Candidate[], size: number, rules: Partial<PlacementRules> = {}) {
  return planCopies(members, size, { placement: 'MOST_FREE', copies: 1, spanning: true, ...rules })
}

type Case = {
  title: string
  members: Candidate[]
  size: number
  rules?: Partial<PlacementRules>
  goesTo: string[]
  why: string[]
}

const CASES: Case[] = [
  {
    title: 'takes the only member',
    members: [member('This server', 0)],
    size: GB,
    goesTo: ['This server'],
    why: ['This server (the only account of this group cloud)'],
  },
  {
    title: 'gives an empty file to nobody who holds more than it may',
    members: [member('Drive 1', 0, { usedBytes: 11 * GB }), full('Dropbox 2', 1)],
    size: 0,
    rules: { placement: 'IN_ORDER' },
    goesTo: ['Dropbox 2'],
    why: ['Dropbox 2 (first in order with enough room); Drive 1 is full'],
  },
  {
    title: 'prefers the most free space and names who is full',
    members: [full('Drive 1', 0), member('Box', 1, { usedBytes: GB }), member('Dropbox 2', 2)],
    size: GB,
    goesTo: ['Dropbox 2'],
    why: ['Dropbox 2 (most free space); Drive 1 is full'],
  },
  {
    title: 'counts what is reserved and what is to be kept free',
    members: [
      member('A', 0, { reservedBytes: 4 * GB }),
      member('B', 1, { keepFreeBytes: 5 * GB }),
      member('C', 2, { usedBytes: 3 * GB }),
    ],
    size: 1,
    goesTo: ['C'],
    why: ['C (most free space)'],
  },
  {
    title: 'takes a member without a limit when no known one has room',
    members: [member('A', 0, { quotaBytes: null }), member('B', 1, { usedBytes: 9.5 * GB })],
    size: GB,
    goesTo: ['A'],
    why: ['A (no known limit); B has only 512 MB free'],
  },
  {
    title: 'prefers known room, and says that it is the known one',
    members: [member('A', 0, unknown), free('B', 1, 2 * GB)],
    size: GB,
    goesTo: ['B'],
    why: ['B (most free space of known size)'],
  },
  {
    title: 'prefers an unlimited member to an unknown one, and then the emptiest',
    members: [
      member('A', 0, { ...unknown, usedBytes: 0 }),
      member('B', 1, { quotaBytes: null, usedBytes: 5 }),
      member('C', 2, { quotaBytes: null, usedBytes: 1, reservedBytes: 2 }),
    ],
    size: GB,
    goesTo: ['C'],
    why: ['C (no known limit)'],
  },
  {
    title: 'goes by what is known of an expired member’s neighbour alone',
    members: [member('Drive', 0, { status: 'EXPIRED' }), member('Box', 1)],
    size: 0,
    rules: { placement: 'IN_ORDER' },
    goesTo: ['Box'],
    why: ['Box (first in order with enough room); Drive needs to be connected again'],
  },
  {
    title: 'passes over members that are unreachable or being emptied',
    members: [member('A', 0, { unreachable: true }), member('B', 1, { draining: true }), free('C', 2, 10)],
    size: 10,
    goesTo: ['C'],
    why: ['C (most free space); A cannot be reached now; B is being emptied'],
  },
  {
    title: 'fills in order of position, not of the list',
    members: [member('second', 1), member('first', 0, { usedBytes: 9 * GB })],
    size: GB,
    rules: { placement: 'IN_ORDER' },
    goesTo: ['first'],
    why: ['first (first in order with enough room)'],
  },
  {
    title: 'goes round',
    members: [member('A', 0), member('B', 1), member('C', 2)],
    size: 1,
    rules: { placement: 'ROUND_ROBIN', previousAccountId: 'A' },
    goesTo: ['B'],
    why: ['B (next in turn)'],
  },
  {
    title: 'starts again after the last, passing over who is full',
    members: [full('A', 0), member('B', 1), member('C', 2)],
    size: 1,
    rules: { placement: 'ROUND_ROBIN', previousAccountId: 'C' },
    goesTo: ['B'],
    why: ['B (next in turn); A is full'],
  },
  {
    title: 'puts two copies on two accounts',
    members: [free('A', 0, 3 * GB), free('B', 1, 2 * GB), free('C', 2, GB)],
    size: 1,
    rules: { copies: 2 },
    goesTo: ['A', 'B'],
    why: ['A (most free space)', 'B (most free space of the other accounts)'],
  },
  {
    title: 'puts three copies on three accounts in turn',
    members: [member('A', 0), member('B', 1), member('C', 2), member('D', 3)],
    size: 1,
    rules: { copies: 3, placement: 'ROUND_ROBIN', previousAccountId: 'C' },
    goesTo: ['D', 'A', 'B'],
    why: ['D (next in turn)', 'A (next in turn)', 'B (next in turn)'],
  },
  {
    title: 'says that there is one account left for the second copy',
    members: [member('A', 0), member('B', 1)],
    size: 1,
    rules: { copies: 2, placement: 'IN_ORDER' },
    goesTo: ['A', 'B'],
    why: ['A (first in order with enough room)', 'B (the only other account)'],
  },
  {
    title: 'leaves out what shall not be used',
    members: [member('A', 0), free('B', 1, GB)],
    size: 1,
    rules: { exclude: new Set(['A']) },
    goesTo: ['B'],
    why: ['B (most free space)'],
  },
]

describe('planCopies', () => {
  it.each(CASES)('$title', ({ members, size, rules, goesTo, why }) => {
    const copies = goesTo.map((accountId, index) => ({
      pieces: [{ accountId, offset: 0, size }],
      why: why[index],
    }))
    expect(plan(members, size, rules)).toEqual({ placed: true, copies, missingCopies: 0, missingWhy: null })
  })

  it('fits exactly to the last byte, and not one byte more', () => {
    const nearlyFull = [member('A', 0, { usedBytes: 9 * GB })]
    expect(plan(nearlyFull, GB).placed).toBe(true)
    expect(plan(nearlyFull, GB + 1)).toEqual({
      placed: false,
      freeBytes: GB,
      why: 'There is no room for 1 GB: A has only 1 GB free.',
    })
  })

  it('refuses with the reason of every member', () => {
    const members = [
      full('A', 0),
      member('B', 1, { status: 'EXPIRED' }),
      member('C', 2, { unreachable: true }),
      member('D', 3, { draining: true }),
    ]
    expect(plan(members, 1)).toEqual({
      placed: false,
      freeBytes: 0,
      why: 'There is no room for 1 Bytes: A is full; B needs to be connected again; C cannot be reached now; D is being emptied.',
    })
  })

  it('names no size of a file that is empty, or whose size is not known yet', () => {
    const over = member('A', 0, { usedBytes: 11 * GB })
    expect(plan([over], 0)).toMatchObject({ placed: false, why: 'There is no room for this file: A is full.' })
  })

  it('says so when a group cloud has no accounts, and when no other is left', () => {
    const why = 'This group cloud has no accounts. Please add one to it first.'
    expect(plan([], 1)).toEqual({ placed: false, freeBytes: 0, why })
    expect(plan([member('A', 0)], 1, { exclude: new Set(['A']) })).toMatchObject({
      placed: false,
      why: 'There is no room for 1 Bytes: no other account is left in this group cloud.',
    })
  })

  it('never reports negative space when an account is over its quota', () => {
    expect(plan([member('A', 0, { usedBytes: 11 * GB })], 1)).toMatchObject({ freeBytes: 0 })
  })

  it('makes the copies that have room, and says why there are not more', () => {
    const short = plan([member('A', 0), full('B', 1), member('C', 2, { status: 'EXPIRED' })], GB, { copies: 3 })
    expect(short).toMatchObject({
      placed: true,
      copies: [{ pieces: [{ accountId: 'A' }] }],
      missingCopies: 2,
      missingWhy: 'There is room for 1 of 3 copies: B is full; C needs to be connected again.',
    })
    const few = plan([member('A', 0)], GB, { copies: 2 })
    expect(few).toMatchObject({ missingWhy: 'There is room for 1 of 2 copies: each copy needs a separate account.' })
  })
})

describe('accounts for extra copies', () => {
  it.each<[string, Candidate[], Partial<PlacementRules>, string[], string]>([
    [
      'get no only copy',
      [extra('T', 0), free('A', 1, GB)],
      {},
      ['A'],
      'A (most free space); T takes only extra copies',
    ],
    [
      'get none in order',
      [extra('T', 0), member('A', 1)],
      { placement: 'IN_ORDER' },
      ['A'],
      'A (first in order with enough room); T takes only extra copies',
    ],
    [
      'get none in turn',
      [member('A', 0), extra('T', 1)],
      { placement: 'ROUND_ROBIN', previousAccountId: 'A' },
      ['A'],
      'A (next in turn); T takes only extra copies',
    ],
    [
      'get the second copy',
      [extra('T', 0), free('A', 1, GB)],
      { copies: 2 },
      ['A', 'T'],
      'A (most free space); T takes only extra copies',
    ],
    [
      'get the second and third copy',
      [extra('T', 0), extra('U', 1), free('A', 2, GB)],
      { copies: 3 },
      ['A', 'T', 'U'],
      'A (most free space); T takes only extra copies; U takes only extra copies',
    ],
    [
      'get a further copy of a file that has another',
      [extra('T', 0), full('A', 1)],
      { hasMainCopy: true },
      ['T'],
      'T (most free space); A is full',
    ],
  ])('%s', (_title, members, rules, goesTo, why) => {
    const planned = plan(members, MB, rules)
    if (!planned.placed) throw new Error(planned.why)
    expect(planned.copies.map(({ pieces }) => pieces[0]?.accountId)).toEqual(goesTo)
    expect(planned.copies[0]?.why).toBe(why)
  })

  it('never hold a file alone, whole or in part, whatever room they have', () => {
    expect(plan([extra('T', 0), full('A', 1)], MB, { copies: 2 })).toEqual({
      placed: false,
      freeBytes: 0,
      why: 'There is no room for 1 MB: T takes only extra copies; A is full.',
    })
    const spanned = plan([extra('T', 0), free('A', 1, GB), free('B', 2, GB)], GB + MB)
    if (!spanned.placed) throw new Error(spanned.why)
    expect(new Set(spanned.copies[0]?.pieces.map(({ accountId }) => accountId))).toEqual(new Set(['A', 'B']))
    expect(spanned.copies[0]?.why).toContain('T takes only extra copies')
    expect(plan([extra('T', 0), free('A', 1, GB)], GB + 1)).toMatchObject({ placed: false, freeBytes: GB })
  })

  it('add no room for a first copy', () => {
    expect(roomBytes([extra('T', 0), free('A', 1, GB)], { spanning: true })).toBe(GB)
    expect(roomBytes([extra('T', 0, unknown)], { spanning: true })).toBe(0)
  })
})

describe('spanning', () => {
  const three = [free('Drive 1', 0, 15 * MB), free('Drive 2', 1, 15 * MB), free('Box', 2, 15 * MB)]

  it('cuts what no single member can hold, and deals the pieces out', () => {
    const spanned = plan(three, 30 * MB)
    expect(spanned).toEqual({
      placed: true,
      missingCopies: 0,
      missingWhy: null,
      copies: [
        {
          pieces: [
            { accountId: 'Drive 1', offset: 0, size: 8 * MB },
            { accountId: 'Drive 2', offset: 8 * MB, size: 8 * MB },
            { accountId: 'Box', offset: 16 * MB, size: 8 * MB },
            { accountId: 'Drive 1', offset: 24 * MB, size: 6 * MB },
          ],
          why: 'In 4 pieces over Drive 1, Drive 2 and Box: no single account has room',
        },
      ],
    })
  })

  it('fills every member to the last byte, and refuses one more', () => {
    expect(plan(three, 45 * MB)).toMatchObject({ placed: true })
    expect(plan(three, 45 * MB + 1)).toMatchObject({
      placed: false,
      freeBytes: 45 * MB,
      why: expect.stringContaining('Drive 1 has only 15 MB free; Drive 2 has only 15 MB free'),
    })
  })

  it('takes in proportion to free space', () => {
    const spanned = plan([free('A', 0, 300 * MB), free('B', 1, 100 * MB)], 320 * MB)
    const pieces = spanned.placed ? (spanned.copies[0]?.pieces ?? []) : []
    expect(pieces.filter(({ accountId }) => accountId === 'B')).toHaveLength(10)
    expect(pieces.map(({ accountId }) => accountId).join('')).not.toMatch(/A{5}|BB/)
  })

  it('is refused where it is not wished, with a hint', () => {
    expect(plan(three, 30 * MB, { spanning: false })).toMatchObject({
      placed: false,
      freeBytes: 15 * MB,
      why: expect.stringMatching(/All accounts together have room, but this group cloud does not span files\.$/),
    })
  })

  it('names who does not take part', () => {
    const spanned = plan([...three, full('A', 3), member('B', 4, { draining: true })], 30 * MB)
    expect(spanned.placed && spanned.copies[0]?.why).toBe(
      'In 4 pieces over Drive 1, Drive 2 and Box: no single account has room; A is full; B is being emptied',
    )
  })

  it('leaves members for the second copy, which spans what is left', () => {
    const members = [free('A', 0, 15 * MB), free('B', 1, 15 * MB), free('C', 2, 10 * MB), free('D', 3, 10 * MB)]
    const spanned = plan(members, 25 * MB, { copies: 2 })
    expect(spanned).toMatchObject({ placed: true, missingCopies: 0 })
    expect(spanned.placed && spanned.copies[1]?.why).toMatch(
      /^In \d pieces over B and C: no other single account has room$/,
    )
  })

  it('spans the second copy when only one member holds it whole', () => {
    const members = [free('A', 0, 100 * MB), free('B', 1, 15 * MB), free('C', 2, 15 * MB)]
    const mixed = plan(members, 25 * MB, { copies: 2 })
    expect(mixed.placed && mixed.copies.map(({ pieces }) => new Set(pieces.map(({ accountId }) => accountId)))).toEqual(
      [new Set(['A']), new Set(['B', 'C'])],
    )
  })

  it('makes at most 512 pieces, however large the file and however many members', () => {
    const members = Array.from({ length: 100 }, (_, index) => free(`M${index}`, index, 50 * GB + index * 12_345))
    for (const size of [4 * 1024 * GB, 51 * GB, 4.8 * 1024 * GB]) {
      const spanned = plan(members, Math.floor(size))
      expect(spanned.placed && spanned.copies[0]?.pieces.length).toBeLessThanOrEqual(512)
    }
  })
})

describe('room', () => {
  it('is the sum where files span, and the most of one member where they do not', () => {
    const members = [free('A', 0, 5), free('B', 1, 7), member('C', 2, { status: 'EXPIRED' })]
    expect([roomBytes(members, { spanning: true }), roomBytes(members, { spanning: false })]).toEqual([12, 7])
    expect(roomBytes([...members, member('D', 3, unknown)], { spanning: false })).toBe(Number.POSITIVE_INFINITY)
    expect(roomBytes([], { spanning: false })).toBe(0)
  })
})

describe('whatever the members are', () => {
  /** Repeatable: a failing round can be run again by its number (mulberry32). */
  function randomOf(seed: number) {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }

  function randomCase(seed: number) {
    const random = randomOf(seed)
    const upTo = (limit: number) => Math.floor(random() * limit)
    const members = Array.from({ length: upTo(8) }, (_, index) =>
      member(`M${index}`, index, {
        status: random() < 0.1 ? 'EXPIRED' : 'CONNECTED',
        unreachable: random() < 0.1,
        draining: random() < 0.1,
        ...(random() < 0.1 ? unknown : { quotaBytes: upTo(200 * MB) }),
        usedBytes: upTo(50 * MB),
        reservedBytes: upTo(10 * MB),
        keepFreeBytes: random() < 0.3 ? upTo(20 * MB) : 0,
      }),
    )
    const rules: PlacementRules = {
      placement: (['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'] as const)[upTo(3)] ?? 'MOST_FREE',
      copies: 1 + upTo(3),
      spanning: random() < 0.7,
      previousAccountId: random() < 0.5 ? `M${upTo(8)}` : null,
      exclude: new Set(random() < 0.2 ? [`M${upTo(8)}`] : []),
    }
    return { members, rules, size: random() < 0.1 ? 0 : upTo(250 * MB) }
  }

  it('nothing is overcommitted, pieces cover the file exactly, and no two copies share an account', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const { members, rules, size } = randomCase(seed)
      const found = planCopies(members, size, rules)
      const usable = members.filter(({ accountId }) => !rules.exclude?.has(accountId))
      expect(found.placed, `${seed}`).toBe(size <= roomBytes(usable, rules) && usable.some(isUsable))
      if (!found.placed) continue
      expect(found.copies.length + found.missingCopies, `${seed}`).toBe(rules.copies)
      expect(found.missingWhy === null, `${seed}`).toBe(found.missingCopies === 0)
      expect(problemsOf(found.copies, usable, size), `${seed}`).toEqual([])
    }
  })

  const isPresent = (one: Candidate) => one.status === 'CONNECTED' && !one.unreachable && !one.draining

  const left = (one: Candidate) =>
    (one.quotaBytes ?? Number.POSITIVE_INFINITY) - one.usedBytes - one.reservedBytes - one.keepFreeBytes
  const isUsable = (one: Candidate) => isPresent(one) && left(one) >= 0

  type Copies = readonly { pieces: readonly { accountId: string; offset: number; size: number }[]; why: string }[]

  function problemsOf(copies: Copies, members: readonly Candidate[], size: number): string[] {
    const problems: string[] = []
    const taken = new Map<string, number>()
    const owners = new Map<string, number>()
    for (const [index, { pieces, why }] of copies.entries()) {
      let offset = 0
      for (const piece of pieces) {
        if (piece.offset !== offset || (piece.size <= 0 && size > 0)) problems.push(`a gap at ${offset}`)
        offset += piece.size
        taken.set(piece.accountId, (taken.get(piece.accountId) ?? 0) + piece.size)
        if ((owners.get(piece.accountId) ?? index) !== index) problems.push(`${piece.accountId} holds two copies`)
        owners.set(piece.accountId, index)
      }
      if (offset !== size) problems.push(`covers ${offset} of ${size}`)
      if (why === '' || /undefined|NaN/.test(why)) problems.push(`why: ${why}`)
    }
    for (const [accountId, bytes] of taken) {
      const one = members.find((candidate) => candidate.accountId === accountId)
      if (!one || !isPresent(one)) problems.push(`${accountId} may not be used`)
      else if (bytes > left(one)) problems.push(`${accountId} is overcommitted`)
    }
    return problems
  }
})
