import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PSEUDO } from '../../web/languages/pseudo.ts'
import { makePool, restOf, startEmulatedServer } from './support/emulated.ts'
import { examiner } from './support/examine.ts'
import { item } from './support/fileManager.ts'
import { LOOKS } from './support/looks.ts'
import { buildPseudoClient, findsIn, type PseudoClient } from './support/pseudoLanguage.ts'
import { tenSamples } from './support/samples.ts'
import { setStage } from './support/stage.ts'

const stage = setStage(startEmulatedServer)
let client: Promise<PseudoClient> | undefined
let owner: Awaited<ReturnType<typeof furnish>>

beforeAll(async () => {
  owner = await furnish()
}, 600_000)
afterAll(async () => (await client)?.close())

/** The screens of someone who is signed in. */
const SCREENS = [
  ...['/dashboard', '/file-manager', '/file-manager/my-drive', '/file-manager/trash', '/file-manager/room'],
  ...[
    '/file-manager/duplicates',
    '/cloud-integration',
    '/cloud-integration?add',
    '/group-cloud',
    '/api-keys',
    '/settings',
  ],
]

/** An English text as the pseudo-language shows it. */
const shown = (english: string) => PSEUDO.translate(english, '') ?? english

/** Names of products, people, files and accounts, and words that are the same in every language. */
const OWN = [
  ...[
    'Skypool',
    'Google Drive',
    'Google Photos',
    'Google Doc',
    'Dropbox',
    'OneDrive',
    'Box',
    'GitHub',
    'SFTP',
    'WebDAV',
  ],
  ...[
    'Amazon S3',
    'MEGA',
    'pCloud',
    'Telegram',
    'Nextcloud',
    'GraphQL',
    'REST',
    'SHA-256',
    'Maren Holt',
    'Maren',
    'Studio pool',
    'Studio',
  ],
  ...[
    'My Cloud',
    'This server',
    'example.org',
    'post.example',
    'Harbour House',
    'Notes.md',
    'Reader',
    'For the site',
    'Urgent',
    'studio@post.example',
  ],
]

/** A person with files in an account and on the server, a key, a tag, and links for visitors. */
async function furnish() {
  const { page, context, person } = await stage.person()
  await makePool(page, stage.url, {
    name: 'Studio pool',
    accounts: [{ service: 'google', name: 'Studio', email: 'studio@post.example' }],
  })
  const rest = restOf(page, stage.url)
  const folder = await rest.json<{ id: string }>('POST', '/api/v1/files/folders', { name: 'Harbour House' })
  const samples = tenSamples()
  const files: string[] = []
  for (const { name, type, bytes } of samples) {
    for (const parentId of [undefined, folder.id]) {
      const multipart = { ...(parentId && { parentId }), file: { name, mimeType: type, buffer: bytes } }
      const answer = await page.request.post(`${stage.url}/api/v1/files`, { headers: { origin: stage.url }, multipart })
      files.push((await answer.json()).id)
    }
  }
  const [first = '', , second = ''] = files
  for (const id of files) {
    const isStored = async () => (await rest.json<{ state: string }>('GET', `/api/v1/files/${id}`)).state === 'STORED'
    await vi.waitUntil(isStored, { timeout: 120_000 })
  }
  await rest.json('POST', '/api/v1/keys', { name: 'Reader' }).catch(() => undefined)
  await rest.send('PATCH', `/api/v1/files/${first}`, { starred: true }).catch(() => undefined)
  await rest.send('DELETE', `/api/v1/files/${second}`).catch(() => undefined)
  const share = await rest.json<{ url: string }>('POST', '/api/v1/shares', { fileId: folder.id })
  const own = [...OWN, ...samples.flatMap(({ name }) => [name, name.replace(/\.\w+$/, '')]), person.email]
  return { own, share: share.url, storageState: await context.storageState() }
}

/** Nothing on the page is being loaded, and it has not changed for a moment. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const watch = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(done, 500)
        })
        function done() {
          watch.disconnect()
          resolve()
        }
        let timer = setTimeout(done, 500)
        watch.observe(document.body, { childList: true, subtree: true, characterData: true })
      }),
  )
}

async function open(path: string, isAnonymous = false) {
  const { page, context, problems } = await stage.anonymous(isAnonymous ? {} : { storageState: owner.storageState })
  client ??= buildPseudoClient('pseudo')
  await (await client).serve(context)
  await page.goto(path.startsWith('http') ? path : stage.url + path)
  await page.getByText('⟦').or(page.getByRole('heading')).first().waitFor()
  await loaded(page)
  return { page, problems }
}

async function finds(page: Page, where: string): Promise<string[]> {
  return (await page.evaluate(findsIn, owner.own)).map((find) => `${where}: ${find}`)
}

test.each([
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password?token=x',
  '/privacy-policy',
  '/nowhere',
  '/share/unknown',
])('every text of %s is translated', async (path) => {
  const { page } = await open(path, true)
  expect(await finds(page, path)).toEqual([])
})

test.each([
  '/dashboard',
  '/file-manager',
  '/file-manager/my-drive',
  '/file-manager/shared',
  '/file-manager/starred',
  '/file-manager/trash',
  '/file-manager/room',
  '/file-manager/duplicates',
  '/file-manager?q=nothing-of-this-name',
  '/file-manager?q=view',
  '/cloud-integration',
  '/cloud-integration?add',
  '/cloud-integration?setup=onedrive',
  '/group-cloud',
  '/api-keys',
  '/graphql-explorer',
  '/settings',
])('every text of %s is translated', async (path) => {
  const { page } = await open(path)
  expect(await finds(page, path)).toEqual([])
})

test('so is every text of a shared folder, its file, and of what opens in the file manager', async () => {
  const visitor = await open(owner.share, true)
  const found = await finds(visitor.page, 'share')

  const { page } = await open('/file-manager/my-drive')
  const look = async (where: string) => {
    await loaded(page)
    found.push(...(await finds(page, where)))
  }
  await page.getByRole('button', { name: shown('Grid') }).click()
  await look('grid')
  await page.getByRole('button', { name: shown('List') }).click()
  await item(page, 'areas.csv').click()
  await look('selection')
  await item(page, 'areas.csv').click({ button: 'right' })
  await page.getByRole('menu').first().waitFor()
  await look('menu')
  await page.keyboard.press('Escape')
  for (const key of ['d', '?', 'u', 't']) {
    await page.keyboard.press(key)
    await look(`key ${key}`)
    if (key !== 'd') await page.keyboard.press('Escape')
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').first().waitFor()
  await look('palette')
  expect(found).toEqual([])
})

test('German is chosen in the settings, and kept for pages before sign-in', async () => {
  const { page } = await stage.anonymous({ storageState: owner.storageState })
  await page.goto(`${stage.url}/settings`)
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
  await page
    .getByText(/^Sie: .*hochgeladen\.$/)
    .first()
    .waitFor()
  const cookies = await page.context().cookies()
  const visitor = await stage.anonymous()
  await visitor.page.context().addCookies(cookies.filter(({ name }) => name === 'language'))
  await visitor.page.goto(`${stage.url}/login`)
  await visitor.page.getByText('Willkommen zurück.').waitFor()
  await page.getByRole('button', { name: 'Sprache' }).click()
  await page.getByRole('option', { name: 'Wie in Ihrem Browser' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
})

test('without a choice a page is in the language of the browser', async () => {
  const { page } = await stage.anonymous({ locale: 'de-AT' })
  await page.goto(`${stage.url}/login`)
  await page.getByText('Willkommen zurück.').waitFor()
  expect(await page.title()).toBe('Anmelden · Skypool')
})

test.each(LOOKS)('the German screens in $theme at $width px have room for their texts', async ({ options, label }) => {
  const { page, problems } = await stage.anonymous({ ...options, storageState: owner.storageState, locale: 'de-DE' })
  const { look, found } = examiner(page, label, 'german-')
  for (const path of SCREENS) {
    await page.goto(stage.url + path)
    await loaded(page)
    await look(path.replaceAll(/\W+/g, '-'))
  }
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
