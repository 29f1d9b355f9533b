import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useLocation } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { SearchBar } from '../../web/features/Search/SearchBar.tsx'
import { renderPage, setMobile } from './support/renderPage.tsx'

function Address() {
  const { pathname, search } = useLocation()
  return <output>{pathname + search}</output>
}

beforeEach(() => {
  localStorage.clear()
  setMobile(false)
})

const render = () =>
  renderPage(
    <>
      <SearchBar title="Settings" />
      <textarea aria-label="Notes" />
      <Address />
    </>,
  )
const field = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search files' })

test('the key / goes to the search, which leads to the file manager', async () => {
  render()
  await userEvent.keyboard('/')
  expect(document.activeElement).toBe(field())
  await userEvent.keyboard('site plan{Enter}')
  expect(document.querySelector('output')?.textContent).toBe('/file-manager?q=site%20plan')
})

test('who writes elsewhere writes a /, and who has turned single keys off too', async () => {
  render()
  await userEvent.type(screen.getByLabelText('Notes'), 'a/b')
  expect(document.activeElement).not.toBe(field())
  await userEvent.click(document.body)
  localStorage.setItem('single-keys', 'off')
  window.dispatchEvent(new StorageEvent('storage', { key: 'single-keys', newValue: 'off' }))
  render()
  await userEvent.keyboard('/')
  expect(document.activeElement?.tagName).not.toBe('INPUT')
})

test('Escape empties the search and then leaves it; nothing is no search', async () => {
  render()
  await userEvent.type(field(), 'plan{Escape}')
  expect(field().value).toBe('')
  await userEvent.keyboard('{Enter}')
  expect(document.querySelector('output')?.textContent).toBe('/')
  await userEvent.keyboard('{Escape}')
  expect(document.activeElement).not.toBe(field())
})
