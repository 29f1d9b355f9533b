import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { tokenIn } from '../setup/mails.ts'
import { startSmtp, type TestSmtp } from '../setup/smtpServer.ts'
import { newPerson, signUp } from './support/browser.ts'
import { examinerOfLooks } from './support/examine.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { startServer, type TestServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

let smtp: TestSmtp
let mailless: TestServer

// Ends after the stage: hooks of this kind run from the last to the first.
afterAll(async () => {
  await mailless?.close()
  await smtp?.close()
})

const stage = setStage(async () => {
  smtp = await startSmtp()
  mailless = await startServer()
  return startServer({ SMTP_URL: smtp.url.href })
})

const NEW_PASSWORD = 'quite another harbour'

const fields = (page: Page) => ({
  password: page.getByLabel('New password'),
  confirm: page.getByLabel('Confirm password'),
  submit: page.getByRole('button', { name: 'Reset password' }),
})

/** From the login page to the confirmation, as somebody who forgot their password goes. */
async function ask(page: Page, email: string, url = stage.url): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  const send = page.getByRole('button', { name: 'Send reset link' })
  // The login page has an Email field, too, and is shown until this page is loaded.
  await send.waitFor()
  await page.getByLabel('Email').fill(email)
  await send.click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}

test('forgot, mail, reset: old sessions are dead, and the new password opens', async () => {
  const person = newPerson()
  const old = await stage.anonymous()
  await signUp(old.page, stage.url, person)
  await old.page.goto(`${stage.url}/file-manager`)
  await old.page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor()

  const { page, problems } = await stage.anonymous()
  await ask(page, person.email)
  await page.getByText('The link expires in 24 hours.').waitFor()
  expect(await page.getByText(person.email).count()).toBe(1)
  expect(await page.getByText('Mail is not set up').count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Return to login')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/login')

  const mail = await smtp.mailTo(person.email)
  const [link = ''] = /http\S+\/reset-password\S+/.exec(mail.text ?? '') ?? []
  expect(link).toBe(`${stage.url}/reset-password?token=${tokenIn(mail)}`)
  const opened = await page.goto(link)
  expect(opened?.headers()['referrer-policy']).toBe('no-referrer')

  const { password, confirm, submit } = fields(page)
  await password.fill('short')
  await confirm.fill('other')
  await submit.click()
  await page.getByText('Password must be at least 8 characters long').waitFor()
  await page.getByText("Passwords don't match").waitFor()
  expect(await password.evaluate((input) => input === document.activeElement)).toBe(true)
  await password.fill(NEW_PASSWORD)
  await confirm.fill(NEW_PASSWORD)
  await submit.click()
  await page.waitForURL('**/login')
  await page.getByText('Password reset successful').waitFor()
  await page.getByText('Your password has been updated. You can now log in with your new password.').waitFor()

  await old.page.reload()
  await old.page.waitForURL('**/login*')
  expect((await smtp.mailTo(person.email, 2)).subject).toBe('Your Skypool password was changed')

  const logIn = async (secret: string) => {
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password').fill(secret)
    await page.getByRole('button', { name: 'Log in' }).click()
  }
  await logIn(person.password)
  await page.getByText('Login failed').waitFor()
  await logIn(NEW_PASSWORD)
  await page.waitForURL('**/file-manager')
  await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor()

  // The link has done its work; whoever finds it in a history gets no further.
  await page.goto(link)
  await password.fill(NEW_PASSWORD)
  await confirm.fill(NEW_PASSWORD)
  await submit.click()
  await page.getByText('Password reset failed').waitFor()
  await page.getByText('There was a problem resetting your password. Please try again.').waitFor()
  await page.getByRole('heading', { name: 'Invalid or expired token' }).waitFor()
  expect(problems).toEqual([])
})

test.each(['', '?token=', '?token=0123456789'])(
  'a link with the token of “/reset-password%s” asks for another one',
  async (query) => {
    const { page } = await stage.anonymous()
    await page.goto(`${stage.url}/reset-password${query}`)
    await page.getByRole('heading', { name: 'Invalid or expired token' }).waitFor()
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await page.waitForURL('**/forgot-password')
  },
)

test('an unknown address is told the same, and what goes wrong is said', async () => {
  const { page } = await stage.anonymous()
  await ask(page, 'nobody@example.org')
  await page.getByRole('button', { name: 'try again' }).click()
  await page.route('**/graphql', (route) => route.abort())
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await page.getByText('Something went wrong').waitFor()
  await page.getByText('There was a problem sending the reset link. Please try again.').waitFor()
  expect(smtp.received.some(({ recipients }) => recipients.includes('nobody@example.org'))).toBe(false)
})

test('the pages in each look', async () => {
  const { page, problems } = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)
  await page.goto(`${stage.url}/login`)
  await page.getByRole('link', { name: 'Forgot password?' }).waitFor()
  await look('login-recovery')
  await page.goto(`${stage.url}/forgot-password`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look('forgot-password')
  await ask(page, 'a-rather-long-name-of-somebody-light-1440@a-rather-long-host-name.example.org')
  await look('forgot-password-sent')
  await page.goto(`${mailless.url}/forgot-password`)
  await page.getByText('Mail is not set up on this server.').waitFor()
  await look('forgot-password-no-mail')
  await page.getByLabel('Email').fill('maren@example.org')
  await page.getByRole('button', { name: 'Create reset link' }).click()
  await page.getByRole('heading', { name: 'Ask your administrator' }).waitFor()
  await look('forgot-password-no-mail-sent')
  await page.goto(`${stage.url}/reset-password?token=${'x'.repeat(43)}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look('reset-password')
  await fields(page).submit.click()
  await page.getByText('Please enter a password.').waitFor()
  await look('reset-password-errors')
  await page.goto(`${stage.url}/reset-password`)
  await page.getByRole('heading', { name: 'Invalid or expired token' }).waitFor()
  await look('reset-password-invalid')
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
