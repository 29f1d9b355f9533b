import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PSEUDO } from '../../web/languages/pseudo.ts'
import { restOf, startEmulatedServer } from './support/emulated.ts'
import { examinerOfLooks } from './support/examine.ts'
import { upload } from './support/fileManager.ts'
import { FIRST_LOOK, loaded } from './support/looks.ts'
import { buildPseudoClient, findsIn, type PseudoClient } from './support/pseudoLanguage.ts'
import { setStage } from './support/stage.ts'
import { furnish, movedTo, SCREENS, tour, tourAsVisitor, tourPreviews, type World } from './support/tour.ts'

const stage = setStage(() => startEmulatedServer({ UPLOAD_TYPES: '*' }))
let client: PseudoClient
/** The same person with the client of the server, and with that in the pseudo-language. */
let owner: World
let world: World

beforeAll(async () => {
  ;[client, owner] = await Promise.all([buildPseudoClient('pseudo'), furnish(stage)])
  world = movedTo(await client.serve(stage.url), owner)
}, 600_000)
afterAll(() => client?.close())

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
    'example.org',
    'post.example',
    'Harbour House',
    'Notes.md',
    'Reader',
    'For the site',
    'Urgent',
    'studio@post.example',
    'maren@post.example',
    'Private',
    'Travel',
    'Plan.txt',
    'Chart.txt',
    'Survey photos',
    'Tove Lind',
    'Quay.txt',
  ],
]

const open = (isAnonymous = false) =>
  stage.anonymous({ ...FIRST_LOOK, ...(!isAnonymous && { storageState: world.storageState }) })

async function show(page: Page, path: string): Promise<void> {
  await page.goto(world.url + path)
  await page.getByText('⟦').or(page.getByRole('heading')).first().waitFor()
  await loaded(page)
}

/** What is written in the files that are shown. */
const CONTENTS = [
  ...['It opens in March.', 'A quiet place.', 'UTF-8, LF', 'README.txt', 'plans', 'room', 'hall'],
  ...['name: "Harbour"', 'id: ', 'parts: ', 'open: true'],
  ...['Costs', 'Part', 'Metres', 'Quay', 'Stone'],
]

async function finds(page: Page, where: string): Promise<string[]> {
  return (
    await page.evaluate(findsIn, [...OWN, ...world.own, ...(/^preview|editor|a file$/.test(where) ? CONTENTS : [])])
  ).map((find) => `${where}: ${find}`)
}

const PUBLIC = [
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password?token=x',
  '/privacy-policy',
  '/nowhere',
  '/share/unknown',
]

test.each([
  { whose: 'visitors', paths: PUBLIC, isAnonymous: true },
  { whose: 'somebody signed in', paths: SCREENS, isAnonymous: false },
])(
  'every text of the screens of $whose is translated',
  async ({ paths, isAnonymous }) => {
    const { page } = await open(isAnonymous)
    const found: string[] = []
    for (const path of paths) {
      await show(page, path)
      found.push(...(await finds(page, path)))
    }
    expect(found).toEqual([])
  },
  300_000,
)

/** What is looked at, and what is found of texts that are not translated or glued. */
function reader(page: Page) {
  const found: string[] = []
  const look = async (name: string) => void found.push(...(await finds(page, name)))
  return { found, tour: { world, shown, look } }
}

test('so is every text of what opens over the screens', async () => {
  const { page } = await open()
  const { found, tour: read } = reader(page)
  await tour(page, read)
  expect(found).toEqual([])
}, 900_000)

test('so is every text of the previews of each kind of file', async () => {
  const { page } = await open()
  const { found, tour: read } = reader(page)
  await tourPreviews(page, read, world.kinds)
  expect(found).toEqual([])
}, 600_000)

test('so is every text that visitors of links see', async () => {
  const { page } = await open(true)
  const { found, tour: read } = reader(page)
  await tourAsVisitor(page, read)
  expect(found).toEqual([])
}, 600_000)

test('German is chosen in the settings, and kept for pages before sign-in', async () => {
  const { page } = await stage.anonymous({ storageState: owner.storageState })
  // Whatever was done before, the newest entry of the activity log is an upload.
  await upload(page, stage.url, { name: 'Latest.txt', type: 'text/plain', bytes: Buffer.from('latest') })
  const { json } = restOf(page, stage.url)
  const newest = async () => (await json<{ items: { action: string }[] }>('GET', '/api/v1/activity')).items[0]?.action
  await expect.poll(newest, { timeout: 60_000 }).toBe('FILE_UPLOADED')
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

test('the German screens have room for their texts in each look', async () => {
  const german = { storageState: owner.storageState, locale: 'de-DE' }
  const { page, problems } = await stage.anonymous({ ...FIRST_LOOK, ...german })
  const { look, found } = examinerOfLooks(page, { prefix: 'german-' })
  for (const path of SCREENS) {
    await page.goto(stage.url + path)
    await loaded(page)
    await look(path.replaceAll(/\W+/g, '-'))
  }
  expect(found).toEqual([])
  expect(problems).toEqual([])
})
