import { describe, expect, test } from 'vitest'
import { accountState } from '../../web/screens/Files/accountState.ts'
import type { AccountChoice } from '../../web/screens/Files/FilesContext.ts'
import { listLines, rootsOf } from '../../web/screens/Files/list/accountGroup.ts'

const INDEX = {
  phase: 'LIVE',
  entries: 4_200,
  asOf: null,
  problem: null,
  heldDeletions: 0,
  rootFileId: 'root',
} as const
const ACCOUNT = {
  id: 'account',
  name: 'Studio',
  provider: 'google-drive',
  providerName: 'Google Drive',
  glyph: 'TRIANGLE',
  hue: 1,
  status: 'CONNECTED',
  statusReason: null,
  unreachableSince: null,
  index: INDEX,
} as const satisfies AccountChoice

describe('what is said of an account in lists', () => {
  test.each([
    ['Up to date', 'subtle', {}],
    ['Listed', 'subtle', { index: { ...INDEX, phase: 'WALK' } }],
    ['4,200 found so far', 't-accent', { index: { ...INDEX, phase: 'FIRST_PASS' } }],
    ['Listing…', 't-accent', { index: { ...INDEX, phase: 'FIRST_PASS', entries: 0 } }],
    ['120 seem to be gone', 't-warning', { index: { ...INDEX, phase: 'HELD', heldDeletions: 120 } }],
    ['Not reachable', 't-warning', { unreachableSince: '2026-11-24T10:00:00Z' }],
    ['Expired', 't-warning', { status: 'EXPIRED', index: { ...INDEX, heldDeletions: 120 } }],
  ] as const)('%s', (text, tone, more) => {
    expect(accountState({ ...ACCOUNT, ...more })).toMatchObject({ text, tone })
  })

  test('when it was last listed, where the provider reports no changes', () => {
    const index = { ...INDEX, phase: 'WALK', asOf: '2024-11-08T10:15:00Z' } as const
    expect(accountState({ ...ACCOUNT, index })?.text).toMatch(/^As of .*2024/)
    const now = new Date().toISOString()
    expect(accountState({ ...ACCOUNT, index: { ...index, asOf: now } })?.text).toMatch(/^As of today, \d\d:\d\d$/)
  })

  test('nothing where only what Skypool stores is shown, which has no folder', () => {
    expect(accountState({ ...ACCOUNT, index: null })).toBeNull()
    expect([...rootsOf([ACCOUNT, { ...ACCOUNT, index: null }]).keys()]).toEqual(['root'])
  })
})

describe('rows with headings between them', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => index)

  test.each([
    ['accounts between folders and files', { first: 2, end: 5 }, [80, 244]],
    ['accounts alone at the end', { first: 7, end: 10 }, [280]],
    ['nothing but accounts', { first: 0, end: 10 }, [0]],
    ['no accounts', null, []],
  ])('%s: every point of a row belongs to it', (_what, group, headings) => {
    const lines = listLines(10, 40, group)
    expect(lines.headings.map(({ top }) => top)).toEqual(headings)
    for (const index of rows(10)) {
      expect(lines.lineAt(lines.topOf(index))).toBe(index)
      expect(lines.lineAt(lines.topOf(index) + 39)).toBe(index)
    }
    expect(lines.topOf(10)).toBe(400 + 44 * headings.length)
    expect(lines.lineAt(lines.topOf(10) + 1_000)).toBeGreaterThanOrEqual(9)
  })
})
