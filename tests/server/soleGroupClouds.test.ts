import { expect, it } from 'vitest'
import type { GroupCloudMembers, Member } from '../../server/domain/groupClouds/members.ts'
import { createSoleGroupClouds, type Sole } from '../../server/domain/uploads/soleGroupClouds.ts'

const MIB = 1024 * 1024

function soleOf(groupCloudId: string, quotaBytes: number | null = null): Sole {
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
  return { groupCloud, asDefault: false, recalled: false }
}

function start() {
  let at = 0
  const soles = createSoleGroupClouds(() => at)
  return { soles, wait: (ms: number) => (at += ms) }
}

const question = (userId: string, id?: string) => ({ userId, id })

it('is recalled for a second, by whoever asked the same', () => {
  const { soles, wait } = start()
  soles.note(question('u1'), soleOf('g1'))
  wait(999)
  expect(soles.recall(question('u1'), 1)).toMatchObject({ groupCloud: { groupCloudId: 'g1' }, recalled: true })
  expect(soles.recall(question('u2'), 1)).toBeNull()
  expect(soles.recall(question('u1', 'g1'), 1)).toBeNull()
  wait(1)
  expect(soles.recall(question('u1'), 1)).toBeNull()
})

it('is recalled for what had room, up to 1 MiB', () => {
  const { soles } = start()
  soles.note(question('u1'), soleOf('g1', 100))
  soles.note(question('u2'), soleOf('g2'))
  expect(soles.recall(question('u1'), 100)).not.toBeNull()
  expect(soles.recall(question('u1'), 101)).toBeNull()
  expect(soles.recall(question('u2'), MIB)).not.toBeNull()
  expect(soles.recall(question('u2'), MIB + 1)).toBeNull()
})

it('is forgotten when it is found to be something else, and when a thousand others came after it', () => {
  const { soles } = start()
  soles.note(question('u1'), soleOf('g1'))
  soles.note(question('u1'), null)
  expect(soles.recall(question('u1'), 1)).toBeNull()
  for (let user = 1; user <= 1001; user += 1) soles.note(question(`u${user}`), soleOf('g'))
  expect(soles.recall(question('u1'), 1)).toBeNull()
  expect(soles.recall(question('u2'), 1)).not.toBeNull()
})
