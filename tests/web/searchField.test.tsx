import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type FileManager, FilesContext } from '../../web/screens/Files/FilesContext.ts'
import { SearchField } from '../../web/screens/Files/toolbar/SearchField.tsx'

/** What was searched for, in order. The address has it when the test says so: on a slow machine that takes a while. */
let searched: string[]
let show: (query: string) => void

beforeEach(() => {
  vi.useFakeTimers()
  searched = []
  const setUrl: FileManager['setUrl'] = ({ query }) => void searched.push(query ?? '')
  const page = (query: string) => (
    <FilesContext value={{ url: { query }, setUrl } as FileManager}>
      <SearchField />
    </FilesContext>
  )
  const { rerender } = render(page(''))
  show = (query) => rerender(page(query))
})
afterEach(() => vi.useRealTimers())

const field = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search files' })
const type = (text: string) => fireEvent.change(field(), { target: { value: text } })
const pause = () => act(() => vi.advanceTimersByTime(300))

test('what is typed is searched for after a pause, and at once with Enter', () => {
  type('plan ')
  expect(searched).toEqual([])
  pause()
  expect(searched).toEqual(['plan'])
  show('plan')
  expect(field().value).toBe('plan ')
  type('plans')
  fireEvent.keyDown(field(), { key: 'Enter' })
  expect(searched).toEqual(['plan', 'plans'])
  show('plans')
  pause()
  expect(searched).toEqual(['plan', 'plans'])
})

test('letters that are typed before the address has the ones before them stay', () => {
  type('pl')
  pause()
  type('pla')
  show('pl')
  expect(field().value).toBe('pla')
  pause()
  type('plan')
  pause()
  show('plan')
  expect(field().value).toBe('plan')
  expect(searched).toEqual(['pl', 'pla', 'plan'])
})

test('a search that comes from elsewhere wins, also over what is typed', () => {
  type('plan')
  pause()
  show('plan')
  type('plans')
  show('')
  expect(field().value).toBe('')
  pause()
  show('plan')
  expect(field().value).toBe('plan')
  expect(searched).toEqual(['plan'])
})
