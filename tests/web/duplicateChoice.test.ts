import { expect, test } from 'vitest'
import {
  type Choice,
  type ChoiceGroup,
  goingOf,
  isSelected,
  keepByHand,
  keptByRule,
  keptIn,
  NOTHING,
  POOL,
  ruleInput,
  select,
  selectAll,
  selectShown,
  withRule,
} from '../../web/screens/Duplicates/choice.ts'

const file = (id: string, account: string | null, folder: string, mayDelete = true) => ({
  id,
  name: `${id}.txt`,
  updatedAt: '2026-01-01T00:00:00.000Z',
  account: account === null ? null : { id: account },
  rights: account === null ? null : { delete: mayDelete },
  parent: { id: folder, name: folder },
  path: [{ id: 'Root' }, { id: folder }],
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
  // Also in folders below.
  expect(keptByRule(group, { keep: 'FOLDER', id: 'Root', name: 'Root' })).toBe('old')
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

test('all groups are the certain ones of every page, until something is chosen for one of those that are shown', () => {
  const likely = { ...group, id: 'likely', certainty: 'LIKELY' }
  const other = { ...group, id: 'other page' }
  const all = withRule(selectAll(select(NOTHING, 'group', true)), { keep: 'NEWEST' })
  expect([group, likely, other].map((one) => isSelected(one, all))).toEqual([true, false, true])
  expect(keptIn(other, all)).toBe('new')
  expect(selectAll(all).rule).toEqual({ keep: 'NEWEST' })
  const shown = select(selectShown(all, [group, likely]), 'group', true)
  expect([group, likely, other].map((one) => isSelected(one, shown))).toEqual([true, false, false])
  expect(shown.rule).toEqual({ keep: 'NEWEST' })
  expect(selectShown(shown, [group, other])).toBe(shown)
})

test('the rule for group clouds is POOL on the server, that for an account is ACCOUNT', () => {
  expect(ruleInput({ keep: 'OLDEST' })).toEqual({ keep: 'OLDEST', keepIn: null })
  expect(ruleInput({ keep: 'ACCOUNT', id: POOL, name: 'Group clouds' })).toEqual({ keep: 'POOL', keepIn: null })
  expect(ruleInput({ keep: 'FOLDER', id: 'Home', name: 'Home' })).toEqual({ keep: 'FOLDER', keepIn: 'Home' })
})
