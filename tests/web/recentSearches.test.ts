import { beforeEach, expect, test, vi } from 'vitest'
import { readRecentSearches, rememberSearch } from '../../web/lib/recentSearches.ts'

beforeEach(() => localStorage.clear())

function search(...texts: string[]): readonly string[] {
  for (const text of texts) rememberSearch('user_1', text)
  return readRecentSearches('user_1')
}

test('the newest search is first, and each is there once', () => {
  expect(search('plans', 'invoices', 'PLANS')).toEqual(['PLANS', 'invoices'])
})

test('a search that is typed on replaces its beginning', () => {
  expect(search('tax', 'har', 'harb', 'harbour')).toEqual(['harbour', 'tax'])
})

test('eight are kept, for each user', () => {
  expect(search(...'abcdefghij')).toEqual([...'jihgfedc'])
  expect(readRecentSearches('user_2')).toEqual([])
})

test('what somebody else has put there is no reason to fail', () => {
  localStorage.setItem('recent-searches-user_1', '{"not": "a list"}')
  expect(readRecentSearches('user_1')).toEqual([])
  localStorage.setItem('recent-searches-user_1', 'no JSON')
  expect(search('plans')).toEqual(['plans'])
})

test('without storage nothing is remembered, and nothing fails', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(search('plans')).toEqual([])
  vi.unstubAllGlobals()
})
