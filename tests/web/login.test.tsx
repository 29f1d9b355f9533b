import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { returnPath } from '../../web/lib/returnPath.ts'
import { type FakeGraphql, fakeViewer, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  server.state.root = { viewer: null }
  server.state.failWith = null
  server.state.seen = []
})

/** From now on the server knows us, as it does once the cookie is set. */
const letIn = () => {
  server.state.root = { viewer: fakeViewer }
  return { __typename: 'LoginPayload', viewer: fakeViewer }
}

async function logIn(search = '') {
  await renderApp(`${server.origin}/login${search}`)
  await userEvent.type(await screen.findByLabelText('Email'), 'maren@example.com')
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse')
  await userEvent.click(screen.getByLabelText('Remember me'))
  await userEvent.click(screen.getByRole('button', { name: 'Log in' }))
}

test('logs in with what was typed and goes to the file manager', async () => {
  server.state.root = { viewer: null, login: letIn }
  await logIn()
  await screen.findByRole('complementary', { name: 'Main' })
  expect(window.location.pathname).toBe('/file-manager')
  expect(server.state.seen.find(({ name }) => name === 'useLoginMutation')?.variables).toEqual({
    input: { email: 'maren@example.com', password: 'correct horse', rememberMe: true },
  })
})

test('goes back to where the person wanted to be', async () => {
  server.state.root = { viewer: null, login: letIn }
  await logIn(`?from=${encodeURIComponent('/file-manager/trash')}`)
  await waitFor(() => expect(window.location.pathname).toBe('/file-manager/trash'))
})

const refusals = {
  'wrong credentials': [
    { __typename: 'UnauthenticatedError', code: 'UNAUTHENTICATED', message: 'No.' },
    'Please check your credentials and try again.',
  ],
  'too many attempts': [
    { __typename: 'TooManyRequestsError', code: 'TOO_MANY_REQUESTS', message: 'Slow.', retryAfterSeconds: 30 },
    'Too many attempts. Please wait 30 seconds and try again.',
  ],
} as const

test.each(Object.entries(refusals))(
  '%s: a toast says so, the form keeps what was typed',
  async (_name, [login, text]) => {
    server.state.root = { viewer: null, login }
    await logIn()
    expect(await screen.findByText('Login failed', {}, { timeout: 120_000 })).toBeDefined()
    expect(screen.getByText(text)).toBeDefined()
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('maren@example.com')
  },
)

test('both fields are required, the address is of email type, and password managers know them', async () => {
  await renderApp(`${server.origin}/login`)
  const email = await screen.findByLabelText<HTMLInputElement>('Email')
  const password = screen.getByLabelText<HTMLInputElement>('Password')
  expect([email.required, email.type, email.autocomplete]).toEqual([true, 'email', 'username'])
  expect([password.required, password.type, password.autocomplete]).toEqual([true, 'password', 'current-password'])
  expect(screen.getByRole('link', { name: 'Register' }).getAttribute('href')).toBe('/register')
  expect(screen.getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe('/privacy-policy')
  expect(screen.getByRole('link', { name: 'Forgot password?' }).getAttribute('href')).toBe('/forgot-password')
})

describe('returnPath follows only paths of this site', () => {
  test.each([
    ['', '/file-manager'],
    ['?from=/file-manager/trash%3Fq%3Da', '/file-manager/trash?q=a'],
    ['?from=https://evil.example/', '/file-manager'],
    ['?from=//evil.example/', '/file-manager'],
    ['?from=/%5Cevil.example', '/file-manager'],
    ['?from=/%09/evil.example', '/file-manager'],
    ['?from=javascript:alert(1)', '/file-manager'],
    ['?from=/login', '/file-manager'],
  ])('%s leads to %s', (search, expected) => {
    expect(returnPath(search)).toBe(expected)
  })
})

test.each([
  ['OPEN', 'No account yet? Register', 1],
  ['INVITE', 'No account yet? Ask the administrator of this server for an invitation.', 0],
  ['CLOSED', 'Registration is closed on this server.', 0],
])('%s registration: says how to get an account', async (registration, text, links) => {
  server.state.root = { viewer: null, server: { registration } }
  await renderApp(`${server.origin}/login`)
  await waitFor(() => expect(document.body.textContent).toContain(text))
  expect(screen.queryAllByRole('link', { name: 'Register' })).toHaveLength(links)
})
