import { render, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { nameText, quotedNames, visibleName } from '../../web/lib/nameText.ts'
import { splitName } from '../../web/lib/splitName.ts'
import { things } from '../../web/screens/Files/messages.ts'
import { FileName } from '../../web/ui/FileName.tsx'

/** "photo_" + right-to-left override + "gpj.exe", which looks like "photo_exe.jpg". */
const FAKED = 'photo_\u202Egpj.exe'
const HEBREW = 'תמונה ארוכה מאוד.jpg'

describe('what a name hides is shown', () => {
  test.each([
    [FAKED, 'photo_⟨U+202E⟩gpj.exe'],
    ['a\u200Bb.txt', 'a⟨U+200B⟩b.txt'],
    ['tab\tand\u0007bell', 'tab⟨U+0009⟩and⟨U+0007⟩bell'],
    ['soft\u00ADhyphen', 'soft⟨U+00AD⟩hyphen'],
    ['a\u200Db.txt', 'a⟨U+200D⟩b.txt'],
    ['\u2066x\u2069.pdf', '⟨U+2066⟩x⟨U+2069⟩.pdf'],
  ])('%j', (name, shown) => {
    expect(visibleName(name)).toBe(shown)
  })

  test.each(['Plan.pdf', 'Résumé.docx', '👩‍👩‍👧.png', '🏴󠁧󠁢󠁳󠁣󠁴󠁿.png', 'می‌خواهم.txt', 'क्‍ष.txt', '📄 notes.md'])(
    'and what is part of the writing stays: %s',
    (name) => {
      expect(visibleName(name)).toBe(name)
    },
  )
})

describe('right to left', () => {
  test('a name keeps its direction to itself, its ending stays at the end', () => {
    expect(nameText(HEBREW)).toBe('\u2068תמונה ארוכה מאוד\u2069.jpg')
    expect(nameText('Plan.pdf')).toBe('Plan.pdf')
    expect(splitName(HEBREW)).toEqual({ head: 'תמונה ארוכה מאוד', tail: '.jpg' })
  })

  test('in a row each part is isolated, and screen readers hear the whole', () => {
    render(<FileName name={HEBREW} />)
    const parts = [...document.querySelectorAll('.name bdi')].map((part) => part.textContent)
    expect(parts).toEqual(['תמונה ארוכה מאוד', '.jpg'])
    expect(screen.getByText(nameText(HEBREW))).toBeTruthy()
  })

  test('in toasts and in sentences of the server, too', () => {
    expect(things([FAKED])).toBe('“photo_⟨U+202E⟩gpj.exe”')
    expect(quotedNames(`You renamed “${FAKED}” to “${HEBREW}”.`)).toBe(
      'You renamed “photo_⟨U+202E⟩gpj.exe” to “\u2068תמונה ארוכה מאוד\u2069.jpg”.',
    )
  })
})
