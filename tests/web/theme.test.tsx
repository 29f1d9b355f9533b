import { readFileSync } from 'node:fs'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { ThemeButton } from '../../web/ui/ThemeButton.tsx'

const snippet = /<script>([\s\S]*?)<\/script>/.exec(readFileSync('web/index.html', 'utf8'))?.[1] ?? ''
const isDark = () => document.documentElement.classList.contains('dark')
const preferDark = (prefers: boolean) =>
  ((
    window as unknown as { happyDOM: { settings: { device: { prefersColorScheme: string } } } }
  ).happyDOM.settings.device.prefersColorScheme = prefers ? 'dark' : 'light')

/** As the browser runs it, before the first paint. */
const startPage = () => new Function(snippet)()

beforeEach(() => {
  localStorage.clear()
  preferDark(false)
  document.documentElement.classList.remove('dark')
})

describe('before the first paint', () => {
  test.each([
    ['dark', false, true],
    ['light', true, false],
    [null, true, true],
    [null, false, false],
  ])('stored %s, system dark %s: dark is %s', (stored, systemDark, expected) => {
    if (stored) localStorage.setItem('theme', stored)
    preferDark(systemDark)
    startPage()
    expect(isDark()).toBe(expected)
  })
})

test('the button switches and keeps the choice under "theme"', async () => {
  render(<ThemeButton />)
  await userEvent.click(screen.getByRole('button', { name: 'Switch to dark mode' }))
  expect([isDark(), localStorage.getItem('theme')]).toEqual([true, 'dark'])
  await userEvent.click(screen.getByRole('button', { name: 'Switch to light mode' }))
  expect([isDark(), localStorage.getItem('theme')]).toEqual([false, 'light'])
})

test('a choice made in another tab is followed', () => {
  render(<ThemeButton />)
  localStorage.setItem('theme', 'dark')
  act(() => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'dark' }))
  })
  expect(isDark()).toBe(true)
  expect(screen.getByRole('button', { name: 'Switch to light mode' })).toBeDefined()
})
