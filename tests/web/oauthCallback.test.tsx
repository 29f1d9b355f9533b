import { render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { AUTHORIZATION_CHANNEL } from '../../web/lib/authorizationMessage.ts'
import { OAuthCallback } from '../../web/screens/OAuthCallback/OAuthCallback.tsx'

afterEach(() => vi.restoreAllMocks())

function open(address: string) {
  const opener = { postMessage: vi.fn() }
  const close = vi.spyOn(window, 'close').mockReturnValue()
  vi.spyOn(window, 'opener', 'get').mockReturnValue(opener)
  const channel = new BroadcastChannel(AUTHORIZATION_CHANNEL)
  const heard = new Promise((resolve) => channel.addEventListener('message', (event) => resolve(event.data)))
  render(
    <MemoryRouter initialEntries={[address]}>
      <Routes>
        <Route path="/oauth/:service/callback" element={<OAuthCallback />} />
      </Routes>
    </MemoryRouter>,
  )
  return { opener, close, heard, done: () => channel.close() }
}

test('code and state go to our own origin alone, by both ways, and the window closes', async () => {
  const { opener, close, heard, done } = open('/oauth/google/callback?code=c1&state=s1')
  const message = { type: 'skypool:authorization', service: 'google', state: 's1', code: 'c1', error: null }
  expect(screen.getByRole('status').textContent).toBe('Processing google authorization...')
  expect(opener.postMessage).toHaveBeenCalledWith(message, window.location.origin)
  await expect(heard).resolves.toEqual(message)
  expect(close).toHaveBeenCalled()
  done()
})

test('without code or state it logs an error, tells nobody and closes', () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const { opener, close, done } = open('/oauth/dropbox/callback?code=c1')
  expect(error).toHaveBeenCalled()
  expect(opener.postMessage).not.toHaveBeenCalled()
  expect(close).toHaveBeenCalled()
  done()
})
