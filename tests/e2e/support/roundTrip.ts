import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { item } from './fileManager.ts'

const NAME = 'Harbour film.bin'

/** A file whose way from account to account is followed: on its page, by the API and by its public link. */
export type RoundTrip = {
  readonly id: string
  /** Downloads it on the page and as the guest, and reads a range of it: all bytes are the same. `place`: named when they are not. */
  expectSame(link: string, guest: Page, place: string): Promise<void>
  /** Moves it to the trash and empties the trash. */
  deleteForGood(): Promise<void>
}

/** Uploads a file of so many random bytes to My Drive, in the dialog, and stays there. */
export async function uploadRandom(page: Page, url: string, length: number, timeout: number): Promise<RoundTrip> {
  const bytes = randomBytes(length)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const folder = mkdtempSync(join(tmpdir(), 'skypool-e2e-file-'))
  const path = join(folder, NAME)
  writeFileSync(path, bytes)
  await page.goto(`${url}/file-manager/my-drive`)
  await page.getByRole('complementary', { name: 'Main' }).getByRole('button', { name: 'Upload Files' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles(path)
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await dialog.getByRole('listitem').getByText('Uploaded').waitFor({ timeout })
  await page.keyboard.press('Escape')
  rmSync(folder, { recursive: true, force: true })
  const id = (await item(page, NAME).getAttribute('data-id')) ?? ''
  return {
    id,
    async expectSame(link, guest, place) {
      await item(page, NAME).click()
      expect(await hashOfDownload(page), place).toBe(sha256)
      const start = Math.floor(bytes.length / 2) + 1
      const end = start + 70_000
      const ranged = await page.request.get(`${url}/api/v1/files/${id}/download`, {
        headers: { range: `bytes=${start}-${end - 1}` },
      })
      expect(ranged.status(), place).toBe(206)
      expect((await ranged.body()).equals(bytes.subarray(start, end)), place).toBe(true)
      await guest.goto(link)
      expect(await hashOfDownload(guest), place).toBe(sha256)
    },
    async deleteForGood() {
      await item(page, NAME).click()
      await page.getByRole('button', { name: 'Move to Trash' }).first().click()
      await item(page, NAME).waitFor({ state: 'detached' })
      await page.goto(`${url}/file-manager/trash`)
      await page.getByRole('button', { name: 'Empty Trash' }).first().click()
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^(Empty|Delete)/ })
        .click()
    },
  }
}

async function hashOfDownload(page: Page): Promise<string> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).first().click(),
  ])
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(await saved.path())) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** What the API says of where a file is. */
export type Stored = {
  readonly state: string
  readonly copies: readonly { readonly pieces: readonly { accountId: string }[] }[]
}

/** The accounts that have pieces of it, each once. */
export function accountsOf({ copies }: Stored): string[] {
  return [...new Set(copies.flatMap(({ pieces }) => pieces.map(({ accountId }) => accountId)))]
}
