import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import type { Person } from './browser.ts'
import type { Sample } from './samples.ts'

/** Lets go of these files over the element as a desktop would. */
export async function dropFiles(page: Page, target: Locator, samples: readonly Sample[]): Promise<void> {
  const files = samples.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') }))
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer()
    for (const { name, type, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      data.items.add(new File([bytes], name, { type }))
    }
    return data
  }, files)
  for (const event of ['dragenter', 'dragover', 'drop']) await target.dispatchEvent(event, { dataTransfer: transfer })
}

/** Uploads a file by REST as whoever is signed in on this page: for tests that are not about uploading. @returns its id */
export async function upload(
  page: Page,
  url: string,
  { name, type, bytes }: Sample,
  parentId?: string,
): Promise<string> {
  const file = { name, mimeType: type, buffer: bytes }
  const multipart = { ...(parentId && { parentId }), file }
  const answer = await page.request.post(`${url}/api/v1/files`, { headers: { origin: url }, multipart })
  if (answer.status() !== 201) throw new Error(`upload answered ${answer.status()}: ${await answer.text()}`)
  return (await answer.json()).id
}

/** The row or tile of a file. */
export function item(page: Page, name: string): Locator {
  return page.locator('[data-id]').filter({ hasText: name })
}

export async function register(page: Page, url: string, person: Person): Promise<void> {
  await page.goto(`${url}/register`)
  await page.getByLabel('Full name').fill(person.fullName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(person.password)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.waitForURL('**/file-manager')
}

/** The bytes that come of whatever `act` does. */
export async function downloadOf(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}
