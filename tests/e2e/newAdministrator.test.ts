import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PROVIDERS } from '../../server/providers/catalogue.ts'
import { createBox } from '../fakes/box/box.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox } from '../fakes/dropbox/dropbox.ts'
import { createGithub } from '../fakes/github/github.ts'
import { createGoogle } from '../fakes/google/google.ts'
import { createOneDrive } from '../fakes/onedrive/onedrive.ts'
import { createPcloud } from '../fakes/pcloud/pcloud.ts'
import { card, popupOf } from './support/connecting.ts'
import { consent } from './support/emulated.ts'
import { startServer } from './support/server.ts'
import { setStage } from './support/stage.ts'

const GB = 1024 ** 3
const EMAIL = 'maren@post.example'
/** Those that an administrator sets up, in the order of the catalogue. */
const SET_UP = PROVIDERS.filter(({ connect }) => connect?.by === 'OAUTH')

/** A server without any setting of a provider, and the services where it can be registered. */
async function startUnknownServer() {
  const google = createGoogle()
  const services = {
    google,
    dropbox: createDropbox(),
    onedrive: createOneDrive(),
    box: createBox({ clients: [] }),
    github: createGithub(),
    pcloud: createPcloud(),
  }
  const emulators = await startEmulators({ services: Object.values(services) })
  const user = { email: EMAIL, name: 'Maren Holt', quotaBytes: 10 * GB }
  for (const service of [google, services.dropbox, services.onedrive, services.box, services.pcloud])
    service.commands.addUser(user)
  services.github.commands.addUser({ ...user, login: 'maren' })
  services.github.commands.addRepository({ user: EMAIL, repository: 'copies' })
  services.github.commands.install({ user: EMAIL, repositories: ['copies'] })
  const server = await startServer({ PROVIDER_EMULATOR_URL: emulators.url })
  return {
    ...server,
    /** As in the console of a provider: accepts only these redirect addresses. */
    async register(service: string, client: object) {
      const path = `${emulators.url}/__control/${service}/addClient`
      const response = await fetch(path, { method: 'POST', body: JSON.stringify(client) })
      expect(response.status).toBe(200)
    },
    async close() {
      await server.close()
      await emulators.close()
    },
  }
}

const stage = setStage(startUnknownServer)

/** What the page of the steps gives to copy: the redirect address, and the names of the settings. */
async function steps(page: Page, provider: string) {
  await page.goto(`${stage.url}/cloud-integration?setup=${provider}`)
  await page.getByText('Not ready', { exact: true }).waitFor()
  const copied = async (label: string) => {
    const box = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: label, exact: true }) })
    return box.locator('code').allInnerTexts()
  }
  const [address = ''] = (await copied('Copy the redirect address')).filter((text) => text.startsWith(stage.url))
  const lines = (await copied('Copy the setting lines')).join('\n').split('\n')
  return { address, settings: lines.map((line) => line.replace(/=$/, '')) }
}

test('every provider is set up with what its steps give to copy, and connected', async () => {
  const { page, problems } = await stage.person('/cloud-integration')
  const settings: Record<string, string> = {}
  const addresses = new Map<string, string[]>()
  for (const { id } of SET_UP) {
    const shown = await steps(page, id)
    const [clientId = '', secret = ''] = shown.settings
    const service = clientId.replace(/_CLIENT_ID$/, '').toLowerCase()
    addresses.set(service, [...(addresses.get(service) ?? []), shown.address])
    // GitHub tells apps from other clients by their id.
    settings[clientId] = `Iv23${service}`
    settings[secret] = `secret-of-${service}`
    const client = { id: settings[clientId], secret: settings[secret], isApp: true }
    await stage.server.register(service, { ...client, redirectUris: addresses.get(service) })
  }

  await stage.server.restart(settings)
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  for (const { id, name, connect } of SET_UP) {
    await page.goto(`${stage.url}/cloud-integration?setup=${id}`)
    await page.getByRole('button', { name: `Connect ${name}` }).click()
    await page.getByLabel('Account name').fill(`My ${name}`)
    const window = await popupOf(page, () => page.getByRole('button', { name: 'Connect', exact: true }).click())
    await consent(window, EMAIL)
    await page.getByRole('button', { name: connect?.poolUse === 'NONE' ? 'Done' : 'Not now' }).click()
    await page.getByRole('link', { name: 'Cloud Integration' }).first().click()
    await card(page, `My ${name}`).getByText('Connected', { exact: true }).waitFor()
  }
  // While the server was restarted.
  expect(problems.filter((problem) => !/ERR_(?:CONNECTION_REFUSED|INCOMPLETE_CHUNKED|EMPTY)/.test(problem))).toEqual([])
})
