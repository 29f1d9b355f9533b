import { describe, expect, it } from 'vitest'
import { objectName } from '../../server/domain/files/content/objectNames.ts'
import { judge, reasonToMove } from '../../server/domain/transfers/failures.ts'
import { type CopyFacts, type FileFacts, planReconciliation } from '../../server/domain/transfers/reconcile.ts'
import type { PieceWork } from '../../server/domain/transfers/work.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'

type Place = CopyFacts['accounts'][number]['place']
const on = (id: string, place: Place = 'MEMBER', lost = false, gone = false) => ({ id, place, lost, gone })
const extra = (id: string, lost = false) => ({ ...on(id, 'MEMBER', lost), extraOnly: true })
const stored = (id: string, ...accounts: CopyFacts['accounts'][number][]): CopyFacts => ({
  id,
  state: 'STORED',
  suspect: false,
  open: false,
  changed: false,
  pieceIds: [`${id}.0`],
  accounts,
})
const storing = (id: string, ...accounts: CopyFacts['accounts'][number][]): CopyFacts => ({
  ...stored(id, ...accounts),
  state: 'STORING',
  open: true,
})
const missing = (id: string, account: string): CopyFacts => ({ ...stored(id, on(account)), state: 'MISSING' })

const decide = (
  wanted: number,
  copies: CopyFacts[],
  more: Partial<Pick<FileFacts, 'staged' | 'cancelledCopies' | 'cancelledMoves'>> = {},
) => {
  const hasExtra = copies.some(({ accounts }) => accounts.some(({ extraOnly }) => extraOnly === true))
  const { drop, plan } = planReconciliation({
    wanted,
    copies,
    staged: false,
    cancelledCopies: 0,
    cancelledMoves: 0,
    ...more,
  })
  return {
    drop: drop.map(({ id }) => id),
    plan:
      plan && [plan.count, plan.kind, ...plan.exclude, ...(hasExtra && !plan.hasMainCopy ? ['first'] : [])].join(' '),
  }
}

describe('reconciling a file with accounts for extra copies', () => {
  it.each([
    ['the second copy may be one', 2, [stored('a', on('A'))], [], '1 REPAIR A'],
    [
      'the only copy left is one',
      2,
      [stored('a', on('A', 'MEMBER', true)), stored('t', extra('T'))],
      [],
      '1 REPAIR T first',
    ],
    ['the only copy that is wanted is one', 1, [stored('t', extra('T'))], [], '1 REPAIR T first'],
    ['and its replacement is on its way', 1, [stored('t', extra('T')), storing('a', on('A'))], [], null],
    ['and its replacement is there', 1, [stored('t', extra('T')), stored('a', on('A'))], ['t'], null],
    [
      'one copy less is wanted',
      2,
      [stored('t', extra('T')), stored('u', extra('U')), stored('a', on('A'))],
      ['u'],
      null,
    ],
    [
      'the first copy is emptied',
      2,
      [stored('a', on('A', 'DRAINING')), stored('t', extra('T'))],
      [],
      '1 DRAIN T first',
    ],
  ])('%s', (_title, wanted, copies, drop, plan) => {
    expect(decide(wanted, copies)).toEqual({ drop, plan })
  })

  it('does not ask again for a copy that the user has cancelled', () => {
    expect(decide(1, [stored('t', extra('T'))], { cancelledCopies: 1 })).toEqual({ drop: [], plan: null })
  })
})

describe('reconciling a file', () => {
  it.each([
    ['has what is asked for', 1, [stored('a', on('A'))], [], null],
    ['one copy more is asked for', 2, [stored('a', on('A'))], [], '1 REPAIR A'],
    ['one copy less is asked for', 1, [stored('a', on('A')), stored('b', on('B'))], ['b'], null],
    ['a copy is on its way', 2, [stored('a', on('A')), storing('b', on('B'))], [], null],
    ['an account is lost', 2, [stored('a', on('A')), stored('b', on('B', 'MEMBER', true))], [], '1 REPAIR A'],
    [
      'a lost account is back beside its repair',
      2,
      [stored('a', on('A')), stored('b', on('B')), stored('c', on('C'))],
      ['c'],
      null,
    ],
    [
      'a repair is under way that is not needed any more',
      2,
      [stored('a', on('A')), stored('b', on('B')), storing('c', on('C'))],
      ['c'],
      null,
    ],
    [
      'enough copies beside one that may heal',
      1,
      [stored('a', on('A')), stored('b', on('B', 'FOREIGN', true))],
      [],
      null,
    ],
    [
      'a lost copy is on an account that nobody waits for any more',
      1,
      [stored('a', on('A', 'FOREIGN', true, true)), stored('b', on('B'))],
      ['a'],
      null,
    ],
    ['only such a copy is left', 1, [stored('a', on('A', 'FOREIGN', true, true))], [], null],
    ['only the lost copy is left', 1, [stored('a', on('A', 'MEMBER', true))], [], null],
    ['a copy is gone for good', 1, [missing('a', 'A'), stored('b', on('B'))], ['a'], null],
    ['the only copy is gone for good', 1, [missing('a', 'A')], [], null],
    ['a member drains', 1, [stored('a', on('A', 'DRAINING'))], [], '1 DRAIN'],
    ['a drained copy has its successor', 1, [stored('a', on('A', 'DRAINING')), stored('b', on('B'))], ['a'], null],
    ['it moved to another group cloud', 1, [stored('a', on('A', 'FOREIGN'))], [], '1 MOVE'],
    [
      'one piece of a spanned copy is on a draining member',
      1,
      [stored('a', on('A'), on('B', 'DRAINING'))],
      [],
      '1 DRAIN',
    ],
  ] as const)('%s', (_name, wanted, copies, drop, plan) => {
    expect(decide(wanted, [...copies])).toEqual({ drop, plan })
  })

  it('makes what is missing from the staged bytes, unless it was given up', () => {
    expect(decide(1, [], { staged: true }).plan).toBe('1 STORE')
    expect(decide(1, [], { staged: true, cancelledCopies: 1 }).plan).toBeNull()
    expect(decide(1, [missing('a', 'A')], { staged: true }).plan).toBe('1 STORE')
  })
})

describe('the name of an object', () => {
  const named = { fileName: 'Report: 2/3 .pdf', copyId: 'copy', pieceId: 'piece', index: 2, spanned: false }
  const limits = { maxNameLength: 255, nameUnit: 'utf16' } as const

  it('is the file’s own where services allow it, and the same after every restart', () => {
    expect(objectName(named, 0, limits)).toBe('Report_ 2_3 .pdf')
    expect(objectName(named, 1, limits)).toMatch(/^Report_ 2_3 {2}~[0-9a-f]{6}\.pdf$/)
    expect(objectName(named, 1, limits)).toBe(objectName(named, 1, limits))
    expect(objectName(named, 2, limits)).not.toBe(objectName(named, 1, limits))
  })
  it('keeps the ending and whole characters when it is too long', () => {
    const long = { ...named, fileName: `${'ä😀'.repeat(100)}.jpeg` }
    const name = objectName(long, 1, { maxNameLength: 100, nameUnit: 'bytes' })
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
    expect(name).toMatch(/^(ä😀)+ä? ~[0-9a-f]{6}\.jpeg$/u)
  })
  it('says nothing of the file for a part, and is never empty', () => {
    expect(objectName({ ...named, spanned: true }, 0, limits)).toBe('copy.2')
    expect(objectName({ ...named, fileName: '...' }, 0, limits)).toBe('file')
    expect(objectName({ ...named, fileName: '\ud800.txt' }, 0, limits)).toBe('_.txt')
  })
})

describe('what becomes of a transfer', () => {
  const clock = { now: () => 0, sleep: async () => {}, random: () => 0.5 }
  const piece = { accountName: 'Drive', accountDisconnected: false, accountUnreachable: false } as PieceWork
  const failed = (code: ProviderErrorCode, detail = {}) => ({
    piece,
    error: new ProviderError(code, { provider: 'memory', operation: 'put' }, { message: 'No.', ...detail }),
  })
  const after = (attempts: number, ...failures: ReturnType<typeof failed>[]) =>
    judge(failures, { attempts, progressed: false }, clock)

  it('waits longer and longer for an account that cannot be reached, and gives up after a quarter of an hour', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6].map((attempts) => after(attempts, failed('Transient')).nextTryAt?.getTime())
    expect(pauses).toEqual([7_000, 14_000, 28_000, 45_000, 45_000, 45_000, 45_000])
    const longest = judge([failed('Transient')], { attempts: 9, progressed: false }, { ...clock, random: () => 0.999 })
    expect(longest.nextTryAt?.getTime()).toBeLessThan(60_000)
    expect(after(23, failed('Transient'))).toMatchObject({
      state: 'FAILED',
      attempts: 24,
      nextTryAt: null,
      error: '“Drive” did not answer for a quarter of an hour.',
    })
    expect(judge([failed('Transient')], { attempts: 23, progressed: true }, clock)).toMatchObject({ attempts: 1 })
  })
  it('waits as long as a provider asks, which is no failed try', () => {
    const verdict = after(3, failed('RateLimited', { retryAfterMs: 90_000 }))
    expect(verdict).toMatchObject({ state: 'WAITING', attempts: 3, nextTryAt: new Date(90_000) })
    expect(after(7, failed('RateLimited'))).toMatchObject({ state: 'WAITING', nextTryAt: new Date(60_000) })
  })
  it('is parked when a person has to do something, after all that can be tried was', () => {
    expect(after(0, failed('ReconnectNeeded'))).toMatchObject({ state: 'PARKED', nextTryAt: null })
    expect(after(0, failed('ReconnectNeeded'), failed('Transient'))).toMatchObject({ state: 'WAITING' })
    expect(after(0, failed('Misconfigured'), failed('Transient'))).toMatchObject({ state: 'FAILED' })
  })
  it('moves to another account only for what another account can mend', () => {
    const moving = (['QuotaExceeded', 'Forbidden', 'TooLarge', 'Corrupt'] as const).map((code) => failed(code))
    expect(moving.map(reasonToMove).every((reason) => reason?.startsWith('“Drive” '))).toBe(true)
    expect(
      (['Transient', 'RateLimited', 'ReconnectNeeded'] as const).map((code) => reasonToMove(failed(code))),
    ).toEqual([null, null, null])
    expect(reasonToMove({ ...failed('Transient'), piece: { ...piece, accountUnreachable: true } })).toContain('reached')
    expect(reasonToMove({ ...failed('ReconnectNeeded'), piece: { ...piece, accountDisconnected: true } })).toContain(
      'disconnected',
    )
  })
})
