import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { examiner } from './support/examine.ts'
import { LOOKS } from './support/looks.ts'
import { uploadPhotos } from './support/photos.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const days = (page: Page) => page.getByRole('grid').getByRole('rowheader').allTextContents()

test.each(LOOKS)(
  'photos by day, in $theme at $width px',
  async ({ label, options, width }) => {
    const { page, problems } = await stage.person(undefined, options)
    await uploadPhotos(page, stage.url)
    await page.goto(`${stage.url}/file-manager`)
    const { look, found } = examiner(page, label, 'photos-')
    await page.getByRole('button', { name: 'Photos', exact: true }).click()
    // The dates are known once the pictures were made.
    await expect.poll(async () => (await days(page))[0]).toContain('2016')
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuemax')).toBe('4')
    await expect.poll(() => page.locator('[role="gridcell"] img:not([data-shown])').count()).toBe(0)
    await look('days')
    const row = await page.locator('[data-line="files"]').first().boundingBox()
    const wanted = width < 768 ? 112 : 164
    expect(Math.abs((row?.height ?? 0) - wanted)).toBeLessThan(wanted / 2)

    const first = page.getByRole('gridcell').first()
    await first.locator('input').evaluate((box: HTMLElement) => box.click())
    await expect.poll(() => first.getAttribute('aria-selected')).toBe('true')
    await first.focus()
    await page.keyboard.press('PageDown')
    await expect.poll(() => page.locator('[aria-selected="true"]').getAttribute('data-drop-name')).toBe('Photo 1-6.jpg')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.locator('[aria-selected="true"]').count()).toBe(1)
    await look('selected')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

    await page.getByRole('slider').focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.getByText('Photo 3-0').count()).toBeGreaterThan(0)
    await page.goto(`${stage.url}/file-manager/starred?layout=photos`)
    await page.getByText('No photos here').waitFor()
    await look('empty')
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)
