import { expect, test } from 'vitest'
import { languageCookie, languageFor } from '../../server/lib/languages.ts'

test.each([
  [{}, 'en'],
  [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  [{ 'accept-language': 'fr, en;q=0.5, de;q=0.7' }, 'de'],
  [{ 'accept-language': 'fr-FR, *;q=0.1' }, 'en'],
  [{ 'accept-language': 'de;q=0, en' }, 'en'],
  [{ 'accept-language': ';;,=,de' }, 'de'],
  [{ cookie: 'sid=x; language=en', 'accept-language': 'de' }, 'en'],
  [{ cookie: 'language=de' }, 'de'],
  [{ cookie: 'language=xx', 'accept-language': 'de' }, 'de'],
  [{ cookie: 'my_language=de' }, 'en'],
])('of the request %j the page is in %s', (headers, language) => {
  expect(languageFor(headers)).toBe(language)
})

test('the cookie keeps the choice, and forgets it', () => {
  expect(languageCookie('de')).toMatch(/^language=de; Path=\/; SameSite=Lax; Max-Age=[1-9]/)
  expect(languageCookie(null)).toContain('Max-Age=0')
  expect(languageFor({ cookie: languageCookie('de') })).toBe('de')
})
