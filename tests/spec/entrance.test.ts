import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { newPerson, type Person } from '../e2e/support/browser.ts'
import { startEmulatedServer } from '../e2e/support/emulated.ts'
import { setStage } from '../e2e/support/stage.ts'
import { line } from './line.ts'
import { toastOf } from './support.ts'

const stage = setStage(startEmulatedServer)

async function open(path: string): Promise<Page> {
  const { page } = await stage.anonymous()
  await page.goto(stage.url + path)
  return page
}

async function fillRegistration(page: Page, person: Person, confirm = person.password): Promise<void> {
  await page.getByLabel('Full name').fill(person.fullName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(confirm)
  await page.getByRole('checkbox').check()
}

async function register(page: Page, person = newPerson()): Promise<Person> {
  await fillRegistration(page, person)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.waitForURL('**/file-manager')
  return person
}

async function login(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Maren Holt/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
}

const validate = async (page: Page) => (await page.request.get(`${stage.url}/api/v1/auth/validate`)).status()

describe('signing in', () => {
  line('2.1', async () => {
    const page = await open('/login')
    await expect.poll(() => page.getByLabel('Email').getAttribute('type')).toBe('email')
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('password')
    await page.getByRole('checkbox', { name: 'Remember me' }).check()
  })

  line('2.2', async () => {
    const page = await open('/login')
    await page.getByRole('link', { name: 'Register' }).waitFor()
    const links = await page.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual(expect.arrayContaining(['/forgot-password', '/register', '/privacy-policy']))
  })

  line('2.3', async () => {
    const { page, person } = await stage.person('/file-manager')
    await signOut(page)
    await login(page, person)
    await page.waitForURL('**/file-manager')
  })

  line('5.13', async () => {
    for (const path of ['/login', '/forgot-password']) {
      const page = await open(path)
      const email = page.getByLabel('Email')
      await email.waitFor()
      expect(new URL(page.url()).pathname).toBe(path)
      expect(await email.evaluate((field: HTMLInputElement) => [field.required, field.type])).toEqual([true, 'email'])
    }
  })

  line('8.1', async () => {
    const page = await open('/login')
    await login(page, newPerson())
    await toastOf(page, 'Login failed', 'Please check your credentials and try again.').waitFor()
  })
})

describe('registering', () => {
  line('2.4', async () => {
    const page = await open('/register')
    for (const label of ['Full name', 'Email', 'Confirm password']) await page.getByLabel(label).waitFor()
    await page.getByLabel('Password', { exact: true }).waitFor()
    await page.getByRole('checkbox').waitFor()
  })

  line('2.5', async () => {
    const page = await open('/register')
    const passed: string[] = []
    page.on('framenavigated', (frame) => passed.push(new URL(frame.url()).pathname))
    await register(page)
    expect(passed).toContain('/login')
  })

  line('4.3', async () => {
    const page = await open('/register')
    await register(page)
    expect(await validate(page)).toBe(200)
  })

  line('5.8', async () => {
    const page = await open('/register')
    await page.getByRole('button', { name: 'Register' }).click()
    for (const text of [
      'Please enter your full name.',
      'Please enter your email address.',
      'Please enter a password.',
      'Please repeat the password.',
      'Please accept the terms to continue.',
    ])
      await page.getByText(text).waitFor()
  })

  line('5.9', async () => {
    const page = await open('/register')
    await fillRegistration(page, newPerson(), 'something else')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('alert').filter({ hasText: 'Passwords do not match' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/register')
  })

  line('8.2', async () => {
    const { person } = await stage.person('/file-manager')
    const page = await open('/register')
    await fillRegistration(page, person)
    await page.getByRole('button', { name: 'Register' }).click()
    await toastOf(page, 'Registration failed').waitFor()
    await page.route('**/graphql', (route) => route.abort())
    await fillRegistration(page, newPerson())
    await page.getByRole('button', { name: 'Register' }).click()
    const text = 'There was a problem creating your account. Please try again.'
    await toastOf(page, 'Registration failed', text).first().waitFor()
  })

  line('8.3', async () => {
    const page = await open('/register')
    await register(page)
    const text = 'Your account has been created. Welcome to Skypool!'
    await toastOf(page, 'Registration successful', text).waitFor()
  })
})

describe('a session', () => {
  line('2.14', async () => {
    const { page } = await stage.person('/privacy-policy')
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.goto(`${stage.url}/file-manager`)
    await page.getByText('Loading...').waitFor()
    await page.getByRole('heading', { name: 'All Files' }).waitFor()
  })

  line('2.15', async () => {
    for (const path of ['/file-manager', '/cloud-integration', '/settings', '/no-such-page']) {
      const page = await open(path)
      await page.waitForURL('**/login**')
    }
  })

  line('4.1', async () => {
    const page = await open('/login')
    expect(await validate(page)).toBe(401)
    await page.goto(`${stage.url}/register`)
    const person = await register(page)
    expect(await validate(page)).toBe(200)
    await signOut(page)
    await login(page, person)
    await page.waitForURL('**/file-manager')
    expect(await validate(page)).toBe(200)
  })

  line('4.2', async () => {
    const { page } = await stage.person('/file-manager')
    await signOut(page)
    expect(await validate(page)).toBe(401)
  })

  line('4.4', async () => {
    const { page, context } = await stage.person('/file-manager')
    await page.getByRole('heading', { name: 'All Files' }).waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: 'Starred' }).click()
    await page.waitForURL('**/login**')
  })

  line('8.14', async () => {
    const { page } = await stage.person('/file-manager')
    await page.getByRole('heading', { name: 'All Files' }).waitFor()
    await page.route('**/graphql', (route) => route.abort())
    await page.getByRole('button', { name: /Maren Holt/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await toastOf(page, 'Could not sign out').waitFor()
    await page.getByRole('heading', { name: 'All Files' }).waitFor()
  })
})

describe('the privacy policy', () => {
  line('2.8', async () => {
    const page = await open('/privacy-policy')
    await page.getByRole('heading', { name: 'Privacy policy' }).waitFor()
    expect(await page.locator('main').textContent()).toMatch(/Google Drive.*email.*name.*picture/is)
  })

  line('9.14', async () => {
    const page = await open('/privacy-policy')
    await page.getByText('Effective date: January 1, 2025').waitFor()
  })
})
