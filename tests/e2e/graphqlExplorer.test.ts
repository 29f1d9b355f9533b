import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { screenshot, type Visit } from './support/browser.ts'
import { examine } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

async function open(options: BrowserContextOptions = {}): Promise<Visit> {
  const visited = await stage.person('/docs/graphql', options)
  await visited.page.getByRole('textbox', { name: 'Operation' }).waitFor()
  return visited
}

const answer = (page: Page) => page.getByRole('textbox', { name: 'Answer' })
const example = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click()

async function answers(page: Page, text: string): Promise<void> {
  await expect.poll(() => answer(page).textContent()).toContain(text)
}

describe('the GraphQL page', () => {
  it('runs every example as it stands, and a subscription hears of what is done meanwhile', async () => {
    const { page, problems } = await open()
    await run(page)
    await answers(page, '"fullName": "Maren Holt"')
    await example(page, 'List the newest files')
    await run(page)
    await answers(page, '"edges"')
    await example(page, 'Search by name')
    await run(page)
    await answers(page, '"edges": []')
    await example(page, 'Listen to changes')
    await run(page)
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    const made = await page.request.post(`${stage.url}/api/v1/files/folders`, {
      data: { name: 'Heard of' },
      headers: { origin: stage.url },
    })
    expect(made.status()).toBe(201)
    await answers(page, '"name": "Heard of"')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The stream has ended.').waitFor()
    await example(page, 'Create a folder')
    await run(page)
    await answers(page, '"name": "Made by a program"')
    await screenshot(page, 'graphql-explorer')
    expect(problems).toEqual([])
  })

  it('says what is wrong: with the variables, with the operation, with a key', async () => {
    const { page } = await open()
    await page.getByRole('textbox', { name: 'Variables (JSON)' }).fill('[1')
    await run(page)
    await page.getByText('The variables are not a JSON object.').waitFor()
    await page.getByRole('textbox', { name: 'Variables (JSON)' }).fill('{}')
    await page.getByRole('textbox', { name: 'Operation' }).fill('{ viewer { nothing } }')
    await page.keyboard.press('Control+Enter')
    await answers(page, '"errors"')
    await page.getByLabel('API key').fill('sky_live_wrong')
    await example(page, 'Who am I, and how much space is there?')
    await run(page)
    await answers(page, 'UNAUTHENTICATED')
  })

  it.each(LOOKS)('is accessible, $theme at $width px', async ({ options, label }) => {
    const { page } = await open(options)
    const found: string[] = []
    await examine(page, `graphql-${label}`, found)
    expect(found).toEqual([])
  })
})
