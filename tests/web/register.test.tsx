import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkRegistration } from '../../web/screens/Register/rules.ts'
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

/** `failWith`: what the server answers once the page is there. */
async function register({ confirm = 'correct horse', terms = true, failWith = null as number | null } = {}) {
  await renderApp(`${server.origin}/register`)
  await userEvent.type(await screen.findByLabelText('Full name'), 'Maren Holt')
  server.state.failWith = failWith
  await userEvent.type(screen.getByLabelText('Email'), 'maren@example.com')
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse')
  await userEvent.type(screen.getByLabelText('Confirm password'), confirm)
  if (terms) await userEvent.click(screen.getByRole('checkbox'))
  await userEvent.click(screen.getByRole('button', { name: 'Register' }))
}

const sent = () => server.state.seen.find(({ name }) => name === 'useRegisterMutation')?.variables

test('creates the account, says so, and ends up in the file manager', async () => {
  server.state.root = {
    viewer: null,
    register: () => {
      server.state.root = { viewer: fakeViewer }
      return { __typename: 'RegisterPayload', viewer: fakeViewer }
    },
  }
  await register()
  await screen.findByRole('complementary', { name: 'Main' })
  expect(window.location.pathname).toBe('/file-manager')
  expect(await screen.findByText('Registration successful', {}, { timeout: 120_000 })).toBeDefined()
  expect(screen.getByText('Your account has been created. Welcome to Skypool!')).toBeDefined()
  expect(sent()).toEqual({
    input: { fullName: 'Maren Holt', email: 'maren@example.com', password: 'correct horse' },
  })
})

test('two different passwords: an alert under the field, which gets the focus; nothing is sent', async () => {
  await register({ confirm: 'correct hors' })
  expect((await screen.findByRole('alert')).textContent).toBe('Passwords do not match')
  const field = screen.getByLabelText('Confirm password')
  expect(document.activeElement).toBe(field)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Passwords do not match',
  )
  expect(sent()).toBeUndefined()
})

test('the terms must be accepted', async () => {
  await register({ terms: false })
  expect((await screen.findByRole('alert')).textContent).toBe('Please accept the terms to continue.')
  expect(document.activeElement).toBe(screen.getByRole('checkbox'))
  expect(sent()).toBeUndefined()
})

test('what the server refuses stands under its field, and a toast says that it failed', async () => {
  const fields = [{ path: 'password', message: 'This password is too common.' }]
  server.state.root = { register: { __typename: 'InvalidInputError', code: 'INVALID_INPUT', message: 'No.', fields } }
  await register()
  expect(await screen.findByText('Registration failed', {}, { timeout: 120_000 })).toBeDefined()
  expect(screen.getByText('There was a problem creating your account. Please try again.')).toBeDefined()
  expect(screen.getByText('This password is too common.')).toBeDefined()
  expect(document.activeElement).toBe(screen.getByLabelText('Password'))
})

test('an address that is taken is said at the address', async () => {
  server.state.root = { register: { __typename: 'ConflictError', code: 'EMAIL_TAKEN', message: 'Not this address.' } }
  await register()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Email')))
  expect(screen.getByText('Not this address.')).toBeDefined()
})

test('a server that cannot be asked is a failed registration', async () => {
  await register({ failWith: 502 })
  expect(await screen.findByText('Registration failed', {}, { timeout: 120_000 })).toBeDefined()
})

test('every field is required', () => {
  const empty = { fullName: ' ', email: '', password: '', confirm: '', terms: false }
  expect(Object.keys(checkRegistration(empty))).toEqual(['fullName', 'email', 'password', 'confirm', 'terms'])
  const whole = { fullName: 'A', email: 'a@b', password: 'x', confirm: 'x', terms: true }
  expect(checkRegistration(whole)).toEqual({})
  expect(checkRegistration({ ...whole, email: 'nobody' }).email).toBeDefined()
})

describe('where not everybody may register', () => {
  const open = (more: object, search = '') => {
    server.state.root = { viewer: null, server: more }
    return renderApp(`${server.origin}/register${search}`)
  }
  const form = () => screen.queryByRole('button', { name: 'Register' })

  test.each([
    ['CLOSED', '', 'Registration is closed'],
    ['CLOSED', '?invite=abc', 'Registration is closed'],
    ['INVITE', '', 'You need an invitation'],
    ['INVITE', '?invite=abc', 'This invitation does not work'],
  ])('%s%s: the page says so, and leads to the login page', async (registration, search, title) => {
    await open({ registration }, search)
    await screen.findByRole('heading', { level: 1, name: title })
    expect(form()).toBeNull()
    expect(screen.getByRole('link', { name: 'Log in' })).toBeDefined()
  })

  test('an invitation opens the form, with the address that it is for', async () => {
    await open({ registration: 'INVITE', invitation: { email: 'maren@example.com' } }, '?invite=abc')
    const email = await screen.findByLabelText<HTMLInputElement>('Email')
    expect([email.value, email.readOnly]).toEqual(['maren@example.com', true])
    const message = 'This invitation does not work. It may have been used.'
    server.state.root.register = { __typename: 'InvalidTokenError', code: 'INVALID_TOKEN', message }
    await userEvent.type(screen.getByLabelText('Full name'), 'Maren Holt')
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse')
    await userEvent.type(screen.getByLabelText('Confirm password'), 'correct horse')
    await userEvent.click(screen.getByRole('checkbox'))
    await userEvent.click(screen.getByRole('button', { name: 'Register' }))
    await screen.findByText(message, {}, { timeout: 120_000 })
    expect(sent()).toEqual({
      input: { fullName: 'Maren Holt', email: 'maren@example.com', password: 'correct horse', invitation: 'abc' },
    })
  })
})
