import { expect, it } from 'vitest'
import type { GroupCloudMembers, Member } from '../../server/domain/groupClouds/members.ts'
import { createSingleAccountGroupClouds, type SingleAccount } from '../../server/domain/uploads/destination.ts'

const MIB = 1024 * 1024

function singleAccountOf(groupCloudId: string, quotaBytes: number | null = null): SingleAccount {
  const member: Member = {
    accountId: 'a1',
    provider: 'local',
    name: 'This server',
    position: 0,
    status: 'CONNECTED',
    unreachable: false,
    draining: false,
    quotaState: quotaBytes === null ? 'UNLIMITED' : 'KNOWN',
    quotaBytes,
    usedBytes: 0,
    reservedBytes: 0,
    keepFreeBytes: 0,
  }
  const groupCloud: GroupCloudMembers = {
    groupCloudId,
    placement: 'MOST_FREE',
    copies: 1,
    spanning: false,
    members: [member],
    previousAccountId: null,
  }
  return { groupCloud, asDefault: false, cached: false }
}

function start() {
  let at = 0
  const singleAccounts = createSingleAccountGroupClouds(() => at)
  return { singleAccounts, wait: (ms: number) => (at += ms) }
}

const question = (userId: string, id?: string) => ({ userId, id })

it('is recalled for a second, by whoever asked the same', () => {
  const { singleAccounts, wait } = start()
  singleAccounts.set(question('u1'), singleAccountOf('g1'))
  wait(999)
  expect(singleAccounts.get(question('u1'), 1)).toMatchObject({ groupCloud: { groupCloudId: 'g1' }, cached: true })
  expect(singleAccounts.get(question('u2'), 1)).toBeNull()
  expect(singleAccounts.get(question('u1', 'g1'), 1)).toBeNull()
  wait(1)
  expect(singleAccounts.get(question('u1'), 1)).toBeNull()
})

it('is recalled for what had room, up to 1 MiB', () => {
  const { singleAccounts } = start()
  singleAccounts.set(question('u1'), singleAccountOf('g1', 100))
  singleAccounts.set(question('u2'), singleAccountOf('g2'))
  expect(singleAccounts.get(question('u1'), 100)).not.toBeNull()
  expect(singleAccounts.get(question('u1'), 101)).toBeNull()
  expect(singleAccounts.get(question('u2'), MIB)).not.toBeNull()
  expect(singleAccounts.get(question('u2'), MIB + 1)).toBeNull()
})

it('is forgotten when it is found to be something else, and when a thousand others came after it', () => {
  const { singleAccounts } = start()
  singleAccounts.set(question('u1'), singleAccountOf('g1'))
  singleAccounts.set(question('u1'), null)
  expect(singleAccounts.get(question('u1'), 1)).toBeNull()
  for (let user = 1; user <= 1001; user += 1) singleAccounts.set(question(`u${user}`), singleAccountOf('g'))
  expect(singleAccounts.get(question('u1'), 1)).toBeNull()
  expect(singleAccounts.get(question('u2'), 1)).not.toBeNull()
})
