import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPerson } from './support/browser.ts'
import { examinerOfLooks } from './support/examine.ts'
import { register } from './support/fileManager.ts'
import { FIRST_LOOK } from './support/looks.ts'
import { startServer, type TestServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

let closed: TestServer
const stage = setStage(() => startServer({ REGISTRATION: 'invite', TOTAL_QUOTA: '1GB' }))
const administrator = newPerson()

beforeAll(async () => {
  closed = await startServer({ REGISTRATION: 'closed' })
  for (const url of [stage.url, closed.url]) await register((await stage.anonymous()).page, url, administrator)
})
afterAll(() => closed?.close())

/** A browser that the administrator has signed in on, at the settings. */
async function settings(options = {}) {
  const opened = await stage.anonymous(options)
  const { email, password } = administrator
  const headers = { origin: stage.url }
  await opened.page.request.post(`${stage.url}/api/v1/auth/login`, { data: { email, password }, headers })
  await opened.page.goto(`${stage.url}/settings`)
  const server = opened.page.getByRole('region', { name: 'Server' })
  await server.waitFor()
  return { ...opened, server }
}

test('an invitation made in the settings lets one person in, once', async () => {
  const { page, server, problems } = await settings()
  await server.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = page.getByLabel('Invitation link')
  await link.waitFor()
  const url = await link.inputValue()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-describedby'))).toBeTruthy()
  await page.getByRole('button', { name: 'Done' }).click()
  await server.getByText('Anyone with the link').waitFor()

  const guest = await stage.anonymous()
  const person = newPerson()
  await guest.page.goto(url)
  await guest.page.getByText('You are invited.').waitFor()
  await guest.page.getByLabel('Full name').fill(person.fullName)
  await guest.page.getByLabel('Email').fill(person.email)
  await guest.page.getByLabel('Password', { exact: true }).fill(person.password)
  await guest.page.getByLabel('Confirm password').fill(person.password)
  await guest.page.getByRole('checkbox').check()
  await guest.page.getByRole('button', { name: 'Register' }).click()
  await guest.page.waitForURL('**/file-manager')

  const late = await stage.anonymous()
  await late.page.goto(url)
  await late.page.getByRole('heading', { name: 'This invitation does not work' }).waitFor()
  await page.reload()
  await server.getByText(`Used by ${person.fullName}`).waitFor()
  expect([...problems, ...guest.problems, ...late.problems]).toEqual([])
})

test('the pages in each look', async () => {
  const { page, problems } = await stage.anonymous(FIRST_LOOK)
  const { look, found } = examinerOfLooks(page)
  await page.goto(`${stage.url}/login`)
  await page.getByText('Ask the administrator of this server for an invitation.').waitFor()
  await look('login-by-invitation')
  await page.goto(`${stage.url}/register`)
  await page.getByRole('heading', { name: 'You need an invitation' }).waitFor()
  await look('register-needs-invitation')
  await page.goto(`${stage.url}/register?invite=${'x'.repeat(43)}`)
  await page.getByRole('heading', { name: 'This invitation does not work' }).waitFor()
  await look('register-invitation-over')
  await page.goto(`${closed.url}/login`)
  await page.getByText('Registration is closed on this server.').waitFor()
  await look('login-closed')
  await page.goto(`${closed.url}/register`)
  await page.getByRole('heading', { name: 'Registration is closed' }).waitFor()
  await look('register-closed')

  const mine = await settings(FIRST_LOOK)
  const own = examinerOfLooks(mine.page)
  await mine.server.getByRole('button', { name: 'Invite' }).click()
  const email = 'a-rather-long-name-light-1440@a-rather-long-host-name.example.org'
  await mine.page.getByLabel('Email (optional)').fill(email)
  await own.look('settings-invite')
  await mine.page.getByRole('button', { name: 'Create link' }).click()
  const link = mine.page.getByLabel('Invitation link')
  await link.waitFor()
  await own.look('settings-invite-link')
  await page.goto(await link.inputValue())
  await page.getByText('This invitation is for this address.').waitFor()
  await look('register-invited')
  await mine.page.getByRole('button', { name: 'Done' }).click()
  await mine.server.getByText(email).waitFor()
  await mine.server.scrollIntoViewIfNeeded()
  await own.look('settings-server')
  expect([...found, ...own.found]).toEqual([])
  expect([...problems, ...mine.problems]).toEqual([])
})
