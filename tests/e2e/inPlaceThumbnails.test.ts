import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { picture } from '../factories/pictures.ts'
import { connect } from '../tools/demo/skypool.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)

const PATIENCE_MS = 45_000
const jpeg = (width: number, height: number) => picture(width, height).jpeg().toBuffer()

/** Addresses that the page asks for. */
function watchRequests(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  return asked
}

/** Width and height as they are sent; null: none is shown. */
function shownSize(page: Page, name: string): Promise<readonly [number, number] | null> {
  return item(page, name).evaluate((row) => {
    const image = row.querySelector<HTMLImageElement>('img[data-shown]')
    return image && getComputedStyle(image).opacity === '1' ? [image.naturalWidth, image.naturalHeight] : null
  })
}

const originals = (asked: readonly string[]) => asked.filter((path) => path.endsWith('/download'))

test.each(LOOKS)(
  'pictures and films of a Drive in rows and tiles, in $theme at $width px',
  async ({ label, options }) => {
    const user = `drive-${label}@post.example`
    const { command } = stage.server
    await command('google', 'addUser', { email: user, name: 'Maren Holt', quotaBytes: 1024 ** 3 })
    const plant = (file: object) => command('google', 'plant', { user, ...file })
    const content = async (width: number, height: number) => (await jpeg(width, height)).toString('base64')
    await plant({ name: 'North wall.jpg', mimeType: 'image/jpeg', base64: await content(1_600, 900) })
    await plant({ name: 'Tower.jpg', mimeType: 'image/jpeg', base64: await content(900, 1_600) })
    await plant({ name: 'Walk.mp4', mimeType: 'video/mp4', size: 9_000_000 })
    await plant({ name: 'Notes.txt', mimeType: 'text/plain', text: 'North wall' })
    const { page, problems } = await stage.person(undefined, options)
    const rest = restOf(page, stage.url)
    const account = await connect(rest, 'google', 'Attic', user)
    const { rootFileId } = await rest.json<{ rootFileId: string }>('PATCH', `/api/v1/accounts/${account}`, {
      scope: 'EVERYTHING',
    })
    const asked = watchRequests(page)
    await page.goto(`${stage.url}/file-manager/my-drive?folder=${rootFileId}`)
    const { look, found } = examiner(page, label, 'in-place-thumbnails-')
    await item(page, 'North wall').waitFor({ timeout: PATIENCE_MS })
    await expect.poll(() => shownSize(page, 'North wall'), { timeout: PATIENCE_MS }).toEqual([96, 54])
    await expect.poll(() => shownSize(page, 'Tower')).toEqual([54, 96])
    await expect.poll(() => shownSize(page, 'Walk')).toEqual([96, 54])
    await look('rows')
    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    await expect.poll(() => shownSize(page, 'North wall')).toEqual([320, 180])
    await expect.poll(() => shownSize(page, 'Tower')).toEqual([180, 320])
    await expect.poll(() => shownSize(page, 'Walk')).toEqual([320, 180])
    await expect.poll(() => shownSize(page, 'Notes')).toEqual([320, 240])
    await look('grid')
    await page.getByRole('button', { name: 'Photos', exact: true }).click()
    await page.getByRole('rowheader').first().waitFor()
    await expect.poll(() => page.locator('[role="gridcell"] img[data-shown]').count()).toBe(3)
    await look('photos')
    expect(originals(asked)).toEqual([])
    expect(found).toEqual([])
    expect(problems).toEqual([])
  },
  120_000,
)

async function makeFolder(page: Page, name: string, pictures: number, texts: number): Promise<string> {
  const { id } = await restOf(page, stage.url).json<{ id: string }>('POST', '/api/v1/files/folders', { name })
  for (let index = 0; index < pictures; index += 1) {
    const bytes = await jpeg(400 + index, 300)
    await upload(page, stage.url, { name: `Photo ${index}.jpg`, type: 'image/jpeg', bytes }, id)
  }
  for (let index = 0; index < texts; index += 1) {
    await upload(
      page,
      stage.url,
      { name: `Letter ${index}.rtf`, type: 'text/rtf', bytes: Buffer.from('{\\rtf1 text}') },
      id,
    )
  }
  return id
}

test.each(LOOKS)(
  'folders show their newest pictures, and links their thumbnails, in $theme at $width px',
  async ({ label, options }) => {
    const { page, problems } = await stage.person(undefined, options)
    const album = await makeFolder(page, 'Album', 6, 0)
    await makeFolder(page, 'Mixed', 2, 3)
    await makeFolder(page, 'Letters', 0, 2)
    await makeFolder(page, 'Nothing', 0, 0)
    const asked = watchRequests(page)
    await page.goto(`${stage.url}/file-manager/my-drive`)
    const { look, found } = examiner(page, label, 'folder-thumbnails-')
    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    const pictures = (name: string) => item(page, name).getByTestId('folder-pictures')
    const shown = (name: string) => pictures(name).locator('img[data-shown]').count()
    await expect.poll(() => shown('Album')).toBe(4)
    await expect.poll(() => shown('Mixed')).toBe(2)
    expect(await pictures('Mixed').textContent()).toBe('+3')
    expect(await pictures('Letters').count()).toBe(0)
    expect(await item(page, 'Letters').textContent()).not.toContain('Empty')
    expect(await item(page, 'Nothing').textContent()).toContain('Empty')
    await look('tiles')
    expect(originals(asked)).toEqual([])

    const { url } = await share(page, stage.url, album)
    const guest = await stage.anonymous(options)
    const guestAsked = watchRequests(guest.page)
    await guest.page.goto(url)
    const sizes = () =>
      guest.page
        .locator('main li img[data-shown]')
        .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))
    await expect.poll(sizes).toEqual(Array(6).fill(96))
    const guestLook = examiner(guest.page, label, 'share-thumbnails-')
    await guestLook.look('list')
    await guest.page.getByRole('button', { name: 'Grid', exact: true }).click()
    await expect.poll(sizes).toEqual(Array(6).fill(320))
    await guestLook.look('grid')
    expect(originals(guestAsked)).toEqual([])
    expect([...found, ...guestLook.found]).toEqual([])
    expect([...problems, ...guest.problems]).toEqual([])
  },
  120_000,
)
