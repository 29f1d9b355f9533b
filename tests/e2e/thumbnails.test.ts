import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pdf, picture } from '../factories/pictures.ts'
import { examiner } from './support/examine.ts'
import { item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

const jpeg = async (width: number, height: number, orientation = 1) =>
  picture(width, height).withMetadata({ orientation }).jpeg().toBuffer()

async function uploadPictures(page: Page): Promise<void> {
  const glass = { create: { width: 400, height: 400, channels: 4, background: '#0a08' } } as const
  const files = [
    { name: 'Wide.jpg', type: 'image/jpeg', bytes: await jpeg(1_600, 900) },
    { name: 'Turned.jpg', type: 'image/jpeg', bytes: await jpeg(1_600, 900, 6) },
    { name: 'Glass.png', type: 'image/png', bytes: await sharp(glass).png().toBuffer() },
    { name: 'Page.pdf', type: 'application/pdf', bytes: pdf() },
    { name: 'Cut off.jpg', type: 'image/jpeg', bytes: (await jpeg(1_600, 900)).subarray(0, 3_000) },
    { name: 'Notes.txt', type: 'text/plain', bytes: Buffer.from('North wall\n\nBrick is sound up to level 2.') },
    {
      name: 'Brief.md',
      type: 'text/markdown',
      bytes: Buffer.from('# Brief\n\nHarbour House **opens** in March.\n\n- Lift\n- Roof'),
    },
    { name: 'areas.ts', type: 'text/plain', bytes: Buffer.from('// areas\nexport const floors = [0, 1]\n') },
    { name: 'Budget.csv', type: 'text/csv', bytes: Buffer.from('Budget,Oct,Nov\nModel,"1,250",900\n') },
    { name: 'Report.docx', type: 'application/octet-stream', bytes: readFileSync('tests/e2e/fixtures/harbour.docx') },
    { name: 'Letter.rtf', type: 'text/rtf', bytes: Buffer.from('{\\rtf1 Letter}') },
  ]
  for (const file of files) await upload(page, stage.url, file)
}

/** Width and height as they are sent; null: none is shown. */
function shownSize(page: Page, name: string): Promise<readonly [number, number] | null> {
  return item(page, name).evaluate((row) => {
    const image = row.querySelector<HTMLImageElement>('img[data-shown]')
    return image && getComputedStyle(image).opacity === '1' ? [image.naturalWidth, image.naturalHeight] : null
  })
}

test.each(LOOKS)(
  'pictures and pages in rows and tiles, in $theme at $width px',
  async ({ label, options, width }) => {
    const { page, problems } = await stage.person(undefined, options)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await uploadPictures(page)
    await page.goto(`${stage.url}/file-manager/my-drive`)
    const { look, found } = examiner(page, label, 'thumbnails-')

    await expect.poll(() => shownSize(page, 'Wide')).toEqual([96, 54])
    await expect.poll(() => shownSize(page, 'Turned')).toEqual([54, 96])
    await expect.poll(() => shownSize(page, 'Glass')).toEqual([96, 96])
    await expect.poll(() => shownSize(page, 'Page')).toEqual([72, 96])
    expect(await shownSize(page, 'Cut off')).toBeNull()
    const box = await item(page, 'Wide').locator('img').boundingBox()
    const side = width < 768 ? 32 : 20
    expect([box?.width, box?.height]).toEqual([side, side])
    await look('rows')

    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    await expect.poll(() => shownSize(page, 'Wide')).toEqual([320, 180])
    await expect.poll(() => shownSize(page, 'Turned')).toEqual([180, 320])
    await expect.poll(() => shownSize(page, 'Page')).toEqual([240, 320])
    expect(await shownSize(page, 'Cut off')).toBeNull()
    for (const name of ['Notes', 'Brief', 'areas', 'Budget', 'Report']) {
      await expect.poll(() => shownSize(page, name)).toEqual([320, 240])
    }
    for (const [name, note] of [
      ['Cut off', 'No preview of .jpg'],
      ['Letter', 'No preview of .rtf'],
    ] as const) {
      await expect.poll(() => item(page, name).getByText(note, { exact: true }).isVisible()).toBe(true)
    }
    expect(await item(page, 'Notes').getByText('No preview').isVisible()).toBe(false)
    const thumbnails = item(page, 'Wide').locator('img')
    expect(await thumbnails.getAttribute('alt')).toBe('')
    const tile = await thumbnails.boundingBox()
    expect((tile?.width ?? 0) / (tile?.height ?? 1)).toBeCloseTo(4 / 3, 1)
    await look('grid')

    expect(asked.filter((path) => path.endsWith('/download'))).toEqual([])
    const letter = await item(page, 'Letter').getAttribute('data-id')
    expect(asked.filter((path) => path.includes(`${letter}/thumbnail`))).toEqual([])
    expect(found).toEqual([])
    // The console names the one picture that cannot be drawn.
    expect(problems.filter((problem) => !problem.includes('404 (Not Found)'))).toEqual([])
  },
  120_000,
)
