import type { FrameLocator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { book, encryption, zipBook } from '../factories/books.ts'
import { picture } from '../factories/pictures.ts'
import { screenshot } from './support/browser.ts'
import { examiner, violationsInFrame } from './support/examine.ts'
import { item, upload } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { startServer } from './support/server.ts'
import { share } from './support/sharing.ts'
import { setStage } from './support/stage.ts'

/** Previews of books (EPUB): read in a frame without an origin, chapter by chapter, and nothing of a hostile one does harm. */
const stage = setStage(startServer, { full: true })

const EPUB = 'application/epub+zip'
const IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18"/></svg>'
const long = (name: string) => `<p>${`${name} of the quay and its wall. `.repeat(12)}</p>`.repeat(20)

async function harbour(): Promise<Buffer> {
  const cover = await picture(600, 800).jpeg().toBuffer()
  return book({
    cover,
    authors: ['Maren Ångström', 'Ada Quay'],
    chapters: [
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><title>Front</title><image xlink:href="../images/front.jpg"/></svg>
       <h1>Contents</h1><ol><li><a href="chapter%202.xhtml">The quay</a></li><li><a href="chapter%206.xhtml#wall">The wall</a></li></ol>`,
      `<h1>The quay</h1><p>A first chapter with <em>words</em>&nbsp;and a <a href="https://elsewhere.example/x">way out</a>.</p>
       <table><tr><th>Part</th><td>120</td></tr></table><p><img src="../images/mark.svg" alt="A mark"/></p>${IMAGE}${long('Part one')}`,
      `<h1>Not well-formed</h1><p>Broken <b>but <i>read</b></i><br>on${long('Part two')}`,
      `<h1>Four</h1>${long('Part four')}`,
      `<h1>Five</h1>${long('Part five')}`,
      `<h1>Six</h1>${long('Part six')}<h2 id="wall">The north wall</h2><p>Its stones.</p>`,
    ],
    files: { 'OEBPS/images/mark.svg': IMAGE },
  })
}

/** Somebody with this one book, and its preview open. */
async function preview(name: string, bytes: Buffer, options = {}) {
  const { page, problems } = await stage.person(undefined, options)
  const id = await upload(page, stage.url, { name, type: EPUB, bytes })
  await page.goto(`${stage.url}/file-manager?preview=${id}`)
  const dialog = page.getByRole('dialog', { name: 'Preview' })
  return { page, problems, id, dialog, content: dialog.locator('iframe').contentFrame() }
}

async function shared(page: Page, id: string, options = {}) {
  const { url } = await share(page, stage.url, id)
  const visitor = await stage.anonymous(options)
  await visitor.page.goto(url)
  return { ...visitor, content: visitor.page.locator('main iframe').contentFrame() }
}

const drawn = (content: FrameLocator) => content.locator('main > section:not([aria-busy])').count()
const widthOf = (image: Element) => (image as HTMLImageElement).naturalWidth

test('a book shows its title, its authors and its chapters, here and behind a link', async () => {
  const { page, problems, id, dialog, content } = await preview('Harbour.epub', await harbour())
  const visitor = await shared(page, id)
  for (const place of [content, visitor.content]) {
    await place.getByRole('heading', { level: 1, name: 'The Harbour Book' }).waitFor()
    await place.getByText('Maren Ångström, Ada Quay').waitFor()
    await expect.poll(() => place.getByRole('img', { name: 'Front' }).evaluate(widthOf)).toBe(600)
    expect(await place.locator('body').evaluate(() => self.origin)).toBe('null')
    expect(await place.locator('html').getAttribute('lang')).toBe('en')
  }
  expect(await dialog.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
  await content.locator('body').press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect([...problems, ...visitor.problems]).toEqual([])
})

test('chapters are read when they come near, and links lead to those that are not', async () => {
  const { problems, content } = await preview('Harbour.epub', await harbour())
  const quay = content.locator('#chapter-1')
  await quay.getByText('A first chapter with words\u00a0and a way out.').waitFor()
  expect(await drawn(content)).toBeLessThan(6)
  await content.getByRole('link', { name: 'The wall' }).focus()
  await content.getByRole('link', { name: 'The wall' }).press('Enter')
  const wall = content.getByRole('heading', { name: 'The north wall' })
  await expect.poll(() => wall.evaluate((heading) => document.activeElement === heading)).toBe(true)
  await content.getByRole('link', { name: 'The quay' }).click()
  await expect.poll(() => quay.getByRole('img', { name: 'A mark' }).evaluate(widthOf)).toBe(40)
  // A drawing in the text, and an address outside of the book, which nothing can be opened of.
  await expect.poll(() => quay.locator('img').nth(1).evaluate(widthOf)).toBe(40)
  const out = quay.getByText('way out')
  expect(await out.evaluate((link) => [link.getAttribute('href'), link.getAttribute('title')])).toEqual([
    null,
    'https://elsewhere.example/x',
  ])
  // What is not well-formed is read as HTML, and the style of the book is left out.
  await content.locator('#chapter-2').scrollIntoViewIfNeeded()
  await content.getByText('Broken but read').waitFor()
  expect(await content.locator('style').count()).toBe(1)
  expect(problems).toEqual([])
})

test('by keyboard alone: into the book, through it, and out', async () => {
  const { page, dialog, content } = await preview('Harbour.epub', await harbour())
  await content.getByText('Maren Ångström').waitFor()
  const main = content.locator('main')
  for (let presses = 0; presses < 30; presses += 1) {
    if (await main.evaluate((element) => document.hasFocus() && element.contains(document.activeElement))) break
    await page.keyboard.press('Tab')
  }
  await expect.poll(() => main.evaluate((element) => element === document.activeElement)).toBe(true)
  // Chapters that come near are longer than their place was, so the end moves on.
  const readOn = async () => {
    await page.keyboard.press('End')
    return content.getByRole('heading', { name: 'The north wall' }).count()
  }
  await expect.poll(readOn).toBe(1)
  await expect.poll(() => main.evaluate(() => window.scrollY)).toBeGreaterThan(1_000)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test.each(LOOKS)(
  'a book and its cover, in $theme at $width px',
  async ({ label, options }) => {
    const { page, problems, id, content } = await preview('Harbour.epub', await harbour(), options)
    const { look, found } = examiner(page, label, 'epub-')
    await content.getByText('A first chapter').waitFor()
    await expect.poll(() => content.getByRole('img', { name: 'Front' }).evaluate(widthOf)).toBe(600)
    await look('preview')
    expect(await violationsInFrame(page, '/frame/epub.html')).toEqual([])
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth
    expect(await content.locator('body').evaluate(overflow)).toBeLessThanOrEqual(0)
    const visitor = await shared(page, id, options)
    await visitor.content.getByText('A first chapter').waitFor()
    await screenshot(visitor.page, `epub-shared-${label}`)
    await page.goto(`${stage.url}/file-manager/my-drive`)
    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    const cover = item(page, 'Harbour').locator('img[data-shown]')
    await expect.poll(() => cover.evaluate(widthOf)).toBe(240)
    await look('grid')
    expect(found).toEqual([])
    expect([...problems, ...visitor.problems]).toEqual([])
  },
  120_000,
)

const ATTACKS = `<script>parent.harmed = 1; self.harmed = 1</script><p onclick="self.harmed = 1">Click me</p>
  <img src="https://elsewhere.example/a.png" onerror="self.harmed = 1" alt="outside"/><img src="x" onerror="self.harmed = 1" alt="missing"/>
  <img src="../../../../etc/passwd" alt="above"/><link rel="stylesheet" href="https://elsewhere.example/a.css"/>
  <style>@import url(https://elsewhere.example/b.css); p { background: url(https://elsewhere.example/c.png) }</style>
  <p style="background: url(https://elsewhere.example/d.png)">Styled</p><iframe src="https://elsewhere.example/"></iframe>
  <meta http-equiv="refresh" content="0; url=https://elsewhere.example/"/><base href="https://elsewhere.example/"/>
  <form action="https://elsewhere.example/"><p>Form</p><button>Send</button></form>
  <svg xmlns="http://www.w3.org/2000/svg" onload="self.harmed = 1"><script>self.harmed = 1</script><foreignObject><p>x</p></foreignObject></svg>
  <a href="javascript:self.harmed = 1">Run me</a> <a href="https://elsewhere.example/">Leave</a> <a href="//elsewhere.example/">Leave too</a>`

test('scripts, handlers and addresses in a book do nothing, and nothing is loaded from elsewhere', async () => {
  const bytes = await book({
    title: '&lt;img src=x onerror=self.harmed=1&gt;',
    chapters: [`${ATTACKS}<p>The end</p>`, `${ATTACKS}<b>not <i>well</b></i><p>The other end`],
  })
  const { page, dialog, content } = await preview('Hostile.epub', bytes)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await content.getByText('The other end').waitFor()
  await content.getByRole('heading', { name: '<img src=x onerror=self.harmed=1>' }).waitFor()
  for (const text of ['Click me', 'Run me', 'Leave', 'Leave too']) {
    await content.getByText(text, { exact: true }).first().click()
  }
  const frame = page.frames().find((each) => each.url().endsWith('/frame/epub.html'))
  expect(await frame?.evaluate(() => 'harmed' in self)).toBe(false)
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
  const forbidden =
    'main :is(script, style, iframe, form, link, meta, base, svg, button, [onclick], [onerror], [style])'
  expect(await content.locator(forbidden).count()).toBe(0)
  expect(asked.filter((url) => !url.startsWith(stage.url) && !url.startsWith('blob:'))).toEqual([])
  expect(await dialog.locator('iframe').getAttribute('src')).toBe('/frame/epub.html')
})

const LOL = `<!DOCTYPE html [<!ENTITY a "lol">${Array.from({ length: 30 }, (_, at) => `<!ENTITY ${'ab'.repeat(at + 1)}x "&a;&a;">`).join('')}<!ENTITY z SYSTEM "file:///etc/passwd">]>`
const DAMAGED = 'This file cannot be shown: it is damaged, or is not what its name says.'
const PROTECTED = 'This file cannot be shown: it is protected against copying.'

const CHAPTER = 'OEBPS/text/chapter 1.xhtml'

/** Shows each book, and waits for the text that is expected of it: the sentence of the preview, or what the book itself has. */
async function showEach(cases: readonly (readonly [name: string, bytes: Buffer, expected: string])[]): Promise<void> {
  const { page } = await stage.person()
  for (const [name, bytes, expected] of cases) {
    const id = await upload(page, stage.url, { name, type: EPUB, bytes })
    await page.goto(`${stage.url}/file-manager?preview=${id}`)
    const dialog = page.getByRole('dialog', { name: 'Preview' })
    const place = /^This file/.test(expected) ? dialog : dialog.locator('iframe').contentFrame().locator('main')
    const found = place.getByText(expected).first()
    await found.waitFor().catch((error: unknown) => {
      throw new Error(name, { cause: error })
    })
    expect(await place.getByText(/lol|root:/).count()).toBe(0)
  }
}

test('what is no book, broken or protected says so', async () => {
  const aes = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'
  const withDescription = (text: string) => book({ files: { 'OEBPS/content.opf': text } })
  const outside = '<c><rootfile full-path="../../etc/passwd"/></c>'
  await showEach([
    ['nothing.epub', Buffer.from('no ZIP'), DAMAGED],
    ['cut.epub', (await book()).subarray(0, 900), DAMAGED],
    ['empty.epub', await zipBook({ 'a.txt': 'a' }), DAMAGED],
    ['no spine.epub', await book({ chapters: [] }), DAMAGED],
    ['no chapters.epub', await withDescription('<package><spine/></package>'), DAMAGED],
    ['entities.epub', await withDescription(`${LOL}<package>&ababx;&z;</package>`), DAMAGED],
    ['above.epub', await book({ files: { 'META-INF/container.xml': outside } }), DAMAGED],
    ['bought.epub', await book({ files: { 'META-INF/encryption.xml': encryption(aes, [CHAPTER]) } }), PROTECTED],
  ])
}, 240_000)

test('a chapter that is too large, too deep or full of entities harms only itself, and fonts may be encrypted', async () => {
  const adobe = 'http://ns.adobe.com/pdf/enc#RC'
  // More than is unpacked of one chapter.
  const bomb = Buffer.concat([Buffer.from('<html><body><p>'), Buffer.alloc(24 * 1024 * 1024, 'a ')])
  const entities = `${LOL}<html><body><p>Here &ababx; &z;</p></body></html>`
  await showEach([
    [
      'fonts.epub',
      await book({ files: { 'META-INF/encryption.xml': encryption(adobe, ['a.otf']) } }),
      'It was a quay.',
    ],
    ['bomb.epub', await book({ files: { [CHAPTER]: bomb } }), 'This chapter cannot be shown.'],
    ['deep.epub', await book({ chapters: [`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}`] }), 'deep'],
    ['entity.epub', await book({ files: { [CHAPTER]: entities } }), 'Here'],
  ])
}, 240_000)
