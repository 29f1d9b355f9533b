import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { connect } from '../../tools/demo/skypool.ts'
import { type EmulatedServer, makePool, restOf } from './emulated.ts'
import { item, upload } from './fileManager.ts'
import { loaded } from './looks.ts'
import { archives, code, docx, font, json, pptx, xlsx } from './previewSamples.ts'
import { type Sample, tenSamples } from './samples.ts'
import type { Stage } from './stage.ts'

const MAREN = 'maren@post.example'

/** Somebody who has something on every screen: what `tour` looks at. */
export type World = Awaited<ReturnType<typeof furnish>>

/**
 * A person with files on the server, in an account that only stores and in one that shows everything; with versions, a key, a tag, links for
 * visitors, duplicates and trash. The server takes files of all types (UPLOAD_TYPES=*).
 */
export async function furnish(stage: Stage<EmulatedServer>) {
  const { page, context, person } = await stage.person()
  const { url, server } = stage
  const rest = restOf(page, url)
  const plant = async (file: object): Promise<string> => {
    const body = JSON.stringify({ user: MAREN, ...file })
    const answer = await fetch(`${server.emulatorUrl}/__control/google/plant`, { method: 'POST', body })
    return ((await answer.json()) as { id: string }).id
  }
  const travel = await plant({ name: 'Travel', mimeType: 'application/vnd.google-apps.folder' })
  await plant({ name: 'Plan.txt', text: 'first', mimeType: 'text/plain', parent: travel })
  await plant({ name: 'Chart.txt', text: 'depths', mimeType: 'text/plain' })
  await connect(rest, 'google', 'Private', MAREN, 'EVERYTHING')
  await makePool(page, url, {
    name: 'Studio pool',
    accounts: [{ service: 'google', name: 'Studio', email: 'studio@post.example' }],
  })
  const folder = await rest.json<{ id: string }>('POST', '/api/v1/files/folders', { name: 'Harbour House' })
  const samples = tenSamples()
  const kinds: Sample[] = [docx, pptx, await xlsx(), font, json, code, ...(await archives()).slice(0, 1)]
  const ids = new Map<string, string>()
  for (const sample of [...samples, ...kinds]) ids.set(sample.name, await upload(page, url, sample))
  const copies: string[] = []
  for (const sample of samples) copies.push(await upload(page, url, sample, folder.id))
  for (const id of [...ids.values(), ...copies]) {
    const isStored = async () => (await rest.json<{ state: string }>('GET', `/api/v1/files/${id}`)).state === 'STORED'
    await vi.waitUntil(isStored, { timeout: 120_000 })
  }
  const brief = {
    name: 'Brief.md',
    type: 'text/markdown',
    bytes: Buffer.from('# Brief\n\nHarbour House opens in April.\n'),
  }
  const edited = await upload(page, url, brief)
  const headers = { origin: url }
  await page.request.put(`${url}/api/v1/files/${edited}/content`, { data: '# Brief\n\nIt opens in March.\n', headers })
  ids.set(brief.name, edited)
  await rest.json('POST', '/api/v1/keys', { name: 'Reader' }).catch(() => undefined)
  await rest.send('PATCH', `/api/v1/files/${ids.get('areas.csv')}`, { starred: true }).catch(() => undefined)
  await rest.send('DELETE', `/api/v1/files/${copies[1]}`).catch(() => undefined)
  const share = await rest.json<{ url: string }>('POST', '/api/v1/shares', { fileId: folder.id })
  const link = { folderId: folder.id, title: 'Survey photos', asksName: true }
  const drop = await rest.json<{ url: string }>('POST', '/api/v1/upload-links', link)
  const names = [...samples, ...kinds, brief].flatMap(({ name }) => [name, name.replace(/\.\w+$/, '')])
  return {
    url,
    own: [...names, person.email],
    ids: ids as ReadonlyMap<string, string>,
    edited,
    kinds: [...samples, ...kinds].map(({ name }) => name),
    share: share.url,
    drop: drop.url,
    storageState: await context.storageState(),
  }
}

/** The same person at another address of the same server. */
export function movedTo(url: string, world: World): World {
  const move = (link: string) => link.replace(world.url, url)
  return { ...world, url, share: move(world.share), drop: move(world.drop) }
}

type Tour = {
  readonly world: World
  /** The English text as this client shows it. */
  readonly shown: (english: string) => string
  /** Called for each state of the page, once it has come to rest. */
  readonly look: (name: string) => Promise<void>
}

type Step = (page: Page, tour: Tour) => Promise<void>

const DRIVE = '/file-manager/my-drive'
const FORMS = ['SFTP', 'WebDAV', 'Amazon S3', 'MEGA', 'Telegram']

const drive = async (page: Page, { world }: Tour) => {
  await page.goto(world.url + DRIVE)
  await item(page, 'areas.csv').waitFor()
}

const press = (page: Page, { shown }: Tour, name: string) =>
  page
    .getByRole('button', { name: shown(name), exact: true })
    .first()
    .click()

/** An entry of the menu of a file. The menu closes when its list is read again. */
async function choose(page: Page, { shown }: Tour, name: string, entry: string): Promise<void> {
  await vi.waitUntil(
    async () => {
      await item(page, name).first().click({ button: 'right' })
      const choice = page.getByRole('menuitem', { name: shown(entry) }).first()
      return choice.click({ timeout: 3_000 }).then(
        () => true,
        () => page.keyboard.press('Escape').then(() => false),
      )
    },
    { timeout: 90_000 },
  )
}

const inDialog = (page: Page) => page.locator('[role=dialog], [role=alertdialog]').last()

/** A dialog that one letter opens over a selected file. */
const byKey =
  (key: string): Step =>
  async (page, tour) => {
    await drive(page, tour)
    await item(page, 'areas.csv').click()
    await page.keyboard.press(key)
    await inDialog(page).waitFor({ state: 'attached' })
  }

const byMenu =
  (name: string, entry: string): Step =>
  async (page, tour) => {
    await drive(page, tour)
    await choose(page, tour, name, entry)
    await inDialog(page).waitFor({ state: 'attached' })
  }

const layout =
  (name: string): Step =>
  async (page, tour) => {
    await drive(page, tour)
    await press(page, tour, name)
    await page.locator('[role=grid][data-layout]').or(page.getByRole('grid')).first().waitFor()
  }

const connectForm =
  (provider: string): Step =>
  async (page, { world, shown }) => {
    await page.goto(`${world.url}/cloud-integration`)
    await page
      .getByRole('button', { name: shown('Add Storage') })
      .first()
      .click()
    await inDialog(page)
      .getByRole('button', { name: new RegExp(`^${provider}`) })
      .first()
      .click()
    await inDialog(page).getByLabel(shown('Account name')).waitFor()
  }

/** What a person opens over the screens, by name. */
const STEPS: Readonly<Record<string, Step>> = {
  grid: layout('Grid'),
  photos: layout('Photos'),
  list: layout('List'),
  menu: async (page, tour) => {
    await drive(page, tour)
    await item(page, 'areas.csv').click({ button: 'right' })
    await page.getByRole('menu').first().waitFor()
  },
  details: async (page, tour) => {
    await drive(page, tour)
    await item(page, 'areas.csv').click()
    await loaded(page)
    const stored = page.getByText(tour.shown('Where it is stored'))
    // In a wide window, details stay open.
    if (!(await stored.isVisible())) await page.keyboard.press('d')
    await stored.waitFor()
  },
  versions: async (page, tour) => {
    await drive(page, tour)
    await choose(page, tour, 'Brief', 'Details')
    await page.getByRole('tab', { name: tour.shown('Versions') }).click()
    await page.getByRole('listitem').nth(1).waitFor()
  },
  share: byMenu('areas.csv', 'Share'),
  shared: async (page, tour) => {
    await byMenu('areas.csv', 'Share')(page, tour)
    await inDialog(page)
      .getByRole('button', { name: tour.shown('Create link') })
      .click()
    await inDialog(page).locator('input[readonly]').waitFor()
  },
  request: byMenu('Harbour House', 'Request files'),
  move: byMenu('areas.csv', 'Move to…'),
  tags: byKey('t'),
  shortcuts: byKey('?'),
  upload: byKey('u'),
  rename: async (page, tour) => {
    await drive(page, tour)
    await item(page, 'areas.csv').click()
    await page.keyboard.press('F2')
    await page.getByRole('grid').getByRole('textbox').waitFor()
  },
  palette: async (page, tour) => {
    await drive(page, tour)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').last().fill('a')
    await page.getByRole('option').nth(2).waitFor()
  },
  editor: async (page, { world }) => {
    await page.goto(`${world.url}${DRIVE}?edit=${world.edited}`)
    await page.locator('.cm-content').waitFor()
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+f')
    await page.locator('.cm-search').waitFor()
  },
  protect: async (page, tour) => {
    await drive(page, tour)
    await item(page, 'Private').dblclick()
    await item(page, 'Travel').waitFor()
    await choose(page, tour, 'Travel', 'Protect…')
    await inDialog(page).waitFor({ state: 'attached' })
  },
  ...Object.fromEntries(FORMS.map((provider) => [`connect ${provider}`, connectForm(provider)])),
  'connect Google Drive': connectForm('Google Drive'),
  disconnect: async (page, { world, shown }) => {
    await page.goto(`${world.url}/cloud-integration`)
    await page
      .getByRole('button', { name: shown('Disconnect') })
      .first()
      .click()
    await inDialog(page).waitFor({ state: 'attached' })
  },
  'group cloud': async (page, { world, shown }) => {
    await page.goto(`${world.url}/group-cloud`)
    await page
      .getByRole('button', { name: shown('New group cloud') })
      .first()
      .click()
    await inDialog(page).waitFor({ state: 'attached' })
  },
}

/** Every screen of somebody signed in. */
export const SCREENS = [
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
]

/** Everything that opens over the screens, and the preview of each kind of file. */
export async function tour(page: Page, tour: Tour, steps: readonly string[] = Object.keys(STEPS)): Promise<void> {
  for (const name of steps) {
    await STEPS[name]?.(page, tour).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`)
    })
    await loaded(page)
    await tour.look(name)
  }
}

export async function tourPreviews(page: Page, { world, look }: Tour, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.goto(`${world.url}${DRIVE}?preview=${world.ids.get(name)}`)
    await page.getByRole('dialog').first().waitFor({ state: 'attached' })
    await loaded(page)
    await look(`preview ${name}`)
  }
}

/** What visitors see: a shared folder, one of its files, and the page that takes files, before and after. */
export async function tourAsVisitor(page: Page, { world, shown, look }: Tour): Promise<void> {
  const rest = async (name: string) => {
    await loaded(page)
    await look(name)
  }
  await page.goto(world.share)
  await page.getByRole('link', { name: 'areas.csv' }).waitFor()
  await rest('share page')
  await page.getByRole('link', { name: 'areas.csv' }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'attached' })
  await rest('share page, a file')
  await page.goto(world.drop)
  await page.getByLabel(shown('Your name')).waitFor()
  await rest('upload link')
  await page.getByLabel(shown('Your name')).fill('Tove Lind')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'Quay.txt', mimeType: 'text/plain', buffer: Buffer.from('quay') })
  await page.getByRole('heading', { level: 1, name: /Tove Lind/ }).waitFor()
  await rest('upload link, thanks')
}
