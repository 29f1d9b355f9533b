import { describe, expect, it } from 'vitest'
import { type CapacityMember, roomOf, totalRoom } from '../../server/domain/accounts/quotas.ts'

const GB = 1024 ** 3

function member(accountId: string, freeGb: number | null, more: Partial<CapacityMember> = {}): CapacityMember {
  const account = {
    status: 'CONNECTED' as const,
    unreachableSince: null,
    poolUse: 'FULL' as const,
    quotaState: freeGb === null ? ('UNKNOWN' as const) : ('KNOWN' as const),
    quotaBytes: freeGb === null ? null : freeGb * GB + GB,
    usedBytes: GB,
    reservedBytes: 0,
  }
  return { accountId, keepFreeBytes: 0, draining: false, allowOnlyCopy: false, account, ...more }
}

/** It takes only extra copies. */
function extra(accountId: string, freeGb: number | null, more: Partial<CapacityMember> = {}): CapacityMember {
  const { account, ...rest } = member(accountId, freeGb)
  return { ...rest, account: { ...account, poolUse: 'EXTRA_COPIES' }, ...more }
}

const room = (copies: number, ...members: CapacityMember[]) => {
  const bytes = roomOf({ copies, members })
  return bytes === null ? null : bytes / GB
}

describe('the room of a group cloud', () => {
  it('counts copies, which never share an account', () => {
    expect(room(1, member('a', 8.75), member('b', 10.5))).toBe(19.25)
    expect(room(2, member('a', 8.75), member('b', 10.5))).toBe(8.75)
    expect(room(2, member('a', 8), member('b', 8), member('c', 8))).toBe(12)
    expect(room(2, member('a', 2), member('b', 3), member('c', 20))).toBe(5)
    expect(room(3, member('a', 2), member('b', 3), member('c', 20))).toBe(2)
  })

  it('needs room for one copy of each file on accounts that may hold the only one', () => {
    expect(room(1, member('a', 8), extra('x', 100))).toBe(8)
    expect(room(1, member('a', 8), extra('x', null))).toBe(8)
    expect(room(1, member('a', 8), extra('x', 100, { allowOnlyCopy: true }))).toBe(108)
    expect(room(2, member('a', 8), extra('x', 100))).toBe(8)
    expect(room(2, member('a', 8), extra('x', 3))).toBe(3)
    expect(room(2, member('a', 8), extra('x', 100), extra('y', 100))).toBe(8)
    expect(room(2, extra('x', 100), extra('y', 100))).toBe(0)
  })

  it('is that of as many copies as there are accounts', () => {
    expect(room(2, member('a', 7))).toBe(7)
    expect(room(3)).toBe(0)
  })

  it('is unknown only where no limit is', () => {
    expect(room(1, member('a', 7), member('b', null))).toBeNull()
    expect(room(2, member('a', 7), member('b', null))).toBe(7)
    expect(room(2, member('a', null), member('b', null))).toBeNull()
  })

  it('leaves out what takes no files, and what is to stay free', () => {
    const gone = { ...member('b', 9).account, status: 'EXPIRED' as const }
    const away = { ...member('c', 9).account, unreachableSince: new Date() }
    const members = [
      member('b', 9, { account: gone }),
      member('c', 9, { account: away }),
      member('d', 9, { draining: true }),
    ]
    expect(room(1, member('a', 5, { keepFreeBytes: 2 * GB }), ...members)).toBe(3)
  })
})

describe('the room of a user', () => {
  it('adds group clouds up, and counts an account once, where it goes furthest', () => {
    const shared = [member('a', 8), member('b', 8)]
    expect(
      totalRoom([
        { copies: 1, members: [member('c', 4)] },
        { copies: 2, members: shared },
      ]),
    ).toBe(12 * GB)
    expect(
      totalRoom([
        { copies: 2, members: shared },
        { copies: 1, members: shared },
      ]),
    ).toBe(16 * GB)
  })
})
