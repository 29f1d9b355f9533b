import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkReset, looksWhole } from '../../web/screens/ResetPassword/rules.ts'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  server.state.root = { viewer: null, server: { mail: true } }
  server.state.failWith = null
  server.state.seen = []
})

const inputOf = (name: string) => server.state.seen.find((one) => one.name === name)?.variables

describe('a forgotten password', () => {
  async function ask(answer: object, mail = true) {
    server.state.root = { viewer: null, server: { mail }, forgotPassword: answer }
    await renderApp(`${server.origin}/forgot-password`)
    await userEvent.type(await screen.findByLabelText('Email'), 'maren@example.com')
    await userEvent.click(screen.getByRole('button', { name: mail ? 'Send reset link' : 'Create reset link' }))
  }

  test('is followed by a confirmation that leads back to the login page', async () => {
    await ask({ __typename: 'ForgotPasswordPayload', ok: true })
    const back = await screen.findByRole('button', { name: 'Return to login' })
    expect(screen.getByText(/The link expires in 24 hours\./).textContent).toContain('maren@example.com')
    expect(inputOf('useForgotPasswordMutation')).toEqual({ input: { email: 'maren@example.com' } })
    await userEvent.click(back)
    await waitFor(() => expect(window.location.pathname).toBe('/login'))
  })

  test('is a matter for the administrator where no mail is sent: no screen says to look for one', async () => {
    await ask({ __typename: 'ForgotPasswordPayload', ok: true }, false)
    await screen.findByRole('heading', { name: 'Ask your administrator' })
    const page = document.body.textContent
    expect(page).toContain('maren@example.com')
    expect(page).toContain('Mail is not set up on this server')
    expect(page).not.toMatch(/check your email|on its way|spam/i)
    await userEvent.click(screen.getByRole('button', { name: 'try again' }))
    expect(document.body.textContent).not.toMatch(/we send you/)
    await userEvent.click(screen.getByRole('button', { name: 'Create reset link' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Return to login' }))
    await waitFor(() => expect(window.location.pathname).toBe('/login'))
  })

  test.each([
    [
      { __typename: 'TooManyRequestsError', code: 'TOO_MANY_REQUESTS', message: 'Slow.', retryAfterSeconds: 1801 },
      'Too many requests. Please try again in 31 minutes.',
    ],
    [
      { __typename: 'InvalidInputError', code: 'INVALID_INPUT', message: 'Please enter a valid email address.' },
      'Please enter a valid email address.',
    ],
  ])('that is refused is told why: %o', async (answer, text) => {
    await ask(answer)
    await screen.findByText('Something went wrong', {}, { timeout: 120_000 })
    expect(await screen.findByText(text, {}, { timeout: 120_000 })).toBeDefined()
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('maren@example.com')
  })
})

describe('a new password', () => {
  async function reset(answer: object) {
    server.state.root = { viewer: null, resetPassword: answer }
    await renderApp(`${server.origin}/reset-password?token=${'t'.repeat(43)}`)
    await userEvent.type(await screen.findByLabelText('New password'), 'quite another')
    await userEvent.type(screen.getByLabelText('Confirm password'), 'quite another')
    await userEvent.click(screen.getByRole('button', { name: 'Reset password' }))
  }

  test('is set, and the login page is next', async () => {
    await reset({ __typename: 'ResetPasswordPayload', ok: true })
    await waitFor(() => expect(window.location.pathname).toBe('/login'))
    await screen.findByText('Password reset successful', {}, { timeout: 120_000 })
    expect(inputOf('useResetPasswordMutation')).toEqual({ input: { token: 't'.repeat(43), password: 'quite another' } })
  })

  test('that is too easy to guess is said under its field', async () => {
    const message = 'This password is too easy to guess. Please choose another one.'
    await reset({
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      message,
      fields: [{ path: 'password', message }],
    })
    expect((await screen.findAllByText(message)).length).toBeGreaterThan(0)
    expect(document.activeElement).toBe(screen.getByLabelText('New password'))
  })
})

test('rules of a new password', () => {
  expect(checkReset({ password: 'seven77', confirm: 'seven77' })).toEqual({
    password: 'Password must be at least 8 characters long',
  })
  expect(checkReset({ password: 'eight888', confirm: 'eight889' })).toEqual({ confirm: "Passwords don't match" })
  expect(checkReset({ password: '🔑🔑🔑🔑', confirm: '🔑🔑🔑🔑' }).password).toBe(
    'Password must be at least 8 characters long',
  )
  expect(checkReset({ password: 'eight888', confirm: 'eight888' })).toEqual({})
  expect([looksWhole('0123456789'), looksWhole('0123456789a')]).toEqual([false, true])
})
