import { expect, test } from 'vitest'
import {
  type Choice,
  type ChoiceGroup,
  goingOf,
  keepByHand,
  keptByRule,
  keptIn,
  NOTHING,
  POOL,
  select,
  withRule,
} from '../../web/screens/Duplicates/choice.ts'

const file = (id: string, account: string | null, folder: string, mayDelete = true) => ({
  id,
  name: `${id}.txt`,
  updatedAt: '2026-01-01T00:00:00.000Z',
  account: account === null ? null : { id: account },
  rights: account === null ? null : { delete: mayDelete },
  parent: { id: folder, name: folder },
})

/** Oldest first; the provider does not allow deleting the last one. */
const group: ChoiceGroup = {
  id: 'group',
  certainty: 'CERTAIN',
  size: 10,
  files: [file('old', 'drive', 'Travel'), file('pooled', null, 'Home'), file('new', 'box', 'Camera', false)],
}

test('nothing is chosen until the user selects a group and a rule', () => {
  expect(keptIn(group, NOTHING)).toBeNull()
  expect(goingOf(group, NOTHING)).toEqual([])
  expect(goingOf(group, select(NOTHING, 'group', true))).toEqual([])
  expect(goingOf(group, withRule(NOTHING, { keep: 'OLDEST' }))).toEqual([])
})

test('a rule keeps one file of each selected group', () => {
  expect(keptByRule(group, { keep: 'OLDEST' })).toBe('old')
  expect(keptByRule(group, { keep: 'NEWEST' })).toBe('new')
  expect(keptByRule(group, { keep: 'ACCOUNT', id: 'box', name: 'Box' })).toBe('new')
  expect(keptByRule(group, { keep: 'ACCOUNT', id: POOL, name: 'Group clouds' })).toBe('pooled')
  expect(keptByRule(group, { keep: 'FOLDER', id: 'Home', name: 'Home' })).toBe('pooled')
  expect(keptByRule(group, { keep: 'FOLDER', id: 'Elsewhere', name: 'Elsewhere' })).toBeNull()
})

test('what the provider does not allow to delete stays, and so does every file of a likely group', () => {
  const chosen: Choice = withRule(select(NOTHING, 'group', true), { keep: 'OLDEST' })
  expect(goingOf(group, chosen).map(({ id }) => id)).toEqual(['pooled'])
  expect(goingOf({ ...group, certainty: 'LIKELY' }, chosen)).toEqual([])
})

test('a file chosen by hand stays until a rule is chosen or the group is not selected any more', () => {
  const byHand = keepByHand(NOTHING, 'group', 'pooled')
  expect(keptIn(group, byHand)).toBe('pooled')
  expect(keptIn(group, withRule(byHand, { keep: 'NEWEST' }))).toBe('new')
  expect(keptIn(group, select(select(byHand, 'group', false), 'group', true))).toBeNull()
  // It was deleted in another tab.
  expect(keptIn({ ...group, files: group.files.slice(0, 1) }, byHand)).toBeNull()
})
