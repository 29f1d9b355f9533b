import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  AUTHORIZATION_CHANNEL,
  type AuthorizationMessage,
  isAuthorizationMessage,
  readAuthorization,
} from '../../web/lib/authorizationMessage.ts'
import { openAuthorizationPopup } from '../../web/lib/authorizationPopup.ts'

const URL_OF_PROVIDER = 'https://provider.example/authorize'
const granted: AuthorizationMessage = {
  type: 'skypool:authorization',
  service: 'google',
  state: 's1',
  code: 'c1',
  error: null,
}

/** A window as the popup sees it. */
function fakeWindow() {
  const target = new EventTarget()
  return Object.assign(target, { closed: false, location: { href: '' }, close: vi.fn() })
}

let popup = fakeWindow()
let features = ''

beforeEach(() => {
  vi.useFakeTimers()
  popup = fakeWindow()
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  vi.spyOn(window, 'open').mockImplementation((_url, _name, wanted) => {
    features = wanted ?? ''
    return popup as unknown as Window
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const start = (signal = new AbortController().signal) => {
  const result = openAuthorizationPopup().authorize(URL_OF_PROVIDER, 's1', signal)
  result.catch(() => undefined)
  return result
}

const say = (data: unknown, origin = window.location.origin) =>
  window.dispatchEvent(new MessageEvent('message', { data, origin }))

describe('the window of an authorization', () => {
  test('is 600 x 400, centred, and goes to the provider', async () => {
    const code = start()
    expect(features).toContain('width=600,height=400')
    expect(popup.location.href).toBe(URL_OF_PROVIDER)
    say(granted)
    await expect(code).resolves.toBe('c1')
    expect(popup.close).toHaveBeenCalled()
  })

  test('that the browser blocks is an error in words', () => {
    vi.spyOn(window, 'open').mockReturnValue(null)
    expect(() => openAuthorizationPopup()).toThrow('Popup blocked')
  })

  test('that is closed early is an error in words, after the last word had its time', async () => {
    const code = start()
    popup.closed = true
    await vi.advanceTimersByTimeAsync(1600)
    await expect(code).rejects.toThrow('Popup closed without authorization')
  })

  test('that closes itself after it has spoken is not one that was closed early', async () => {
    const code = start()
    popup.closed = true
    await vi.advanceTimersByTimeAsync(700)
    say(granted)
    await expect(code).resolves.toBe('c1')
  })

  test('that a provider has cut off from its opener still answers', async () => {
    const code = start()
    popup.dispatchEvent(new Event('pagehide'))
    popup.closed = true
    await vi.advanceTimersByTimeAsync(30_000)
    vi.useRealTimers()
    const channel = new BroadcastChannel(AUTHORIZATION_CHANNEL)
    channel.postMessage(granted)
    await expect(code).resolves.toBe('c1')
    channel.close()
  })

  test('that was cut off and gives no answer is reported as an error, after this window was in front for long enough', async () => {
    const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
    const code = start()
    popup.dispatchEvent(new Event('pagehide'))
    popup.closed = true
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    focus.mockReturnValue(true)
    await vi.advanceTimersByTimeAsync(2 * 60_000 + 1600)
    await expect(code).rejects.toThrow('No answer came from the other window. Please try again.')
  })

  test('that is closed soon after it left our page is an error in words', async () => {
    const code = start()
    popup.dispatchEvent(new Event('pagehide'))
    await vi.advanceTimersByTimeAsync(450)
    popup.closed = true
    await vi.advanceTimersByTimeAsync(1600)
    await expect(code).rejects.toThrow('Popup closed without authorization')
  })

  test('in front of this one may be cut off later: it counts as closed only when this one is in front again', async () => {
    const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false)
    const code = start()
    popup.closed = true
    await vi.advanceTimersByTimeAsync(60_000)
    focus.mockReturnValue(true)
    await vi.advanceTimersByTimeAsync(1600)
    await expect(code).rejects.toThrow('Popup closed without authorization')
  })

  test('where access was denied is an error in words', async () => {
    const code = start()
    say({ ...granted, code: null, error: 'access_denied' })
    await expect(code).rejects.toThrow('Access was denied')
  })

  test('ends with its caller', async () => {
    const caller = new AbortController()
    const code = start(caller.signal)
    caller.abort(new Error('cancelled'))
    await expect(code).rejects.toThrow('cancelled')
    expect(popup.close).toHaveBeenCalled()
  })
})

test.each([
  ['another origin', granted, 'https://evil.example'],
  ['another state', { ...granted, state: 's2' }, undefined],
  ['no state', { ...granted, state: undefined }, undefined],
  ['neither code nor error', { ...granted, code: null }, undefined],
  ['another type', { ...granted, type: 'webpack' }, undefined],
  ['a text', 'skypool:authorization', undefined],
  ['null', null, undefined],
])('a message with %s is ignored', async (_name, data, origin) => {
  const code = start()
  say(data, origin)
  popup.closed = true
  await vi.advanceTimersByTimeAsync(1600)
  await expect(code).rejects.toThrow('Popup closed without authorization')
})

test('the callback address is read as the provider wrote it', () => {
  const read = (query: string) => readAuthorization('dropbox', new URLSearchParams(query))
  expect(read('code=c&state=s')).toEqual({ ...granted, service: 'dropbox', state: 's', code: 'c' })
  expect(read('error=access_denied&state=s')?.error).toBe('access_denied')
  expect(read('code=c')).toBeNull()
  expect(read('state=s')).toBeNull()
  expect(isAuthorizationMessage(read('code=c&state=s'))).toBe(true)
})
