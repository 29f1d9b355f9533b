import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { filmHead } from '../factories/pictures.ts'
import { restOf } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { dropFiles, item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

const stage = setStage()

/** A film of two seconds, recorded by the browser: a red square that moves over blue. */
async function record(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
    const chunks: Blob[] = []
    recorder.ondataavailable = ({ data }) => chunks.push(data)
    const isStopped = new Promise((resolve) => {
      recorder.onstop = resolve
    })
    recorder.start()
    for (let frame = 0; frame < 50; frame += 1) {
      context.fillStyle = '#0a3d91'
      context.fillRect(0, 0, 640, 360)
      context.fillStyle = '#d6402b'
      context.fillRect(frame * 8, 120, 120, 120)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    recorder.stop()
    await isStopped
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return btoa(text)
  })
  return Buffer.from(base64, 'base64')
}

/** Width of the picture that a tile shows; 0: none. */
const shownWidth = (page: Page, name: string) =>
  item(page, name).evaluate((tile) => tile.querySelector<HTMLImageElement>('img[data-shown]')?.naturalWidth ?? 0)

test.each(LOOKS)(
  'a frame and the length of a film that is uploaded, in $theme at $width px',
  async ({ label, options }) => {
    const { page, problems } = await stage.person(undefined, options)
    await page.goto(`${stage.url}/file-manager/my-drive`)
    const film = await record(page)
    const cut = Buffer.concat([filmHead(), Buffer.alloc(4_000, 7)])
    await dropFiles(page, page.getByRole('main'), [
      { name: 'Walk.webm', type: 'video/webm', bytes: film },
      { name: 'Cut.mp4', type: 'video/mp4', bytes: cut },
    ])
    await item(page, 'Cut').waitFor()
    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    const { look, found } = examiner(page, label, 'videos-')

    // Without a reload: the list follows.
    await expect.poll(() => shownWidth(page, 'Walk'), { timeout: 30_000 }).toBe(320)
    await expect.poll(() => item(page, 'Walk').getByTestId('duration').textContent()).toMatch(/^0:0[1-9]/)
    expect(await shownWidth(page, 'Cut')).toBe(0)
    expect(await item(page, 'Cut').getByTestId('duration').count()).toBe(0)
    expect(await item(page, 'Cut').getByText('No preview of .mp4').isVisible()).toBe(true)
    await look('grid')

    // Behind a link, too: what is known of a content is known of its copies.
    const folder = await restOf(page, stage.url).json<{ id: string }>('POST', '/api/v1/files/folders', {
      name: 'Films',
    })
    await upload(page, stage.url, { name: 'Walk.webm', type: 'video/webm', bytes: film }, folder.id)
    await upload(page, stage.url, { name: 'Cut.mp4', type: 'video/mp4', bytes: cut }, folder.id)
    const { url } = await share(page, stage.url, folder.id)
    const visitor = await stage.anonymous(options)
    await visitor.page.goto(url)
    await visitor.page.getByRole('button', { name: 'Grid', exact: true }).click()
    const tile = (name: string) => visitor.page.getByRole('listitem').filter({ hasText: name })
    await expect.poll(() => tile('Walk').getByTestId('duration').textContent()).toMatch(/^0:0[1-9]/)
    expect(await tile('Cut').getByTestId('duration').count()).toBe(0)
    const shared = examiner(visitor.page, label, 'videos-')
    await shared.look('shared')
    expect([...found, ...shared.found]).toEqual([])
    expect([...problems, ...visitor.problems]).toEqual([])
  },
  120_000,
)
