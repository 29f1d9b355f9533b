import type { Page } from 'playwright-core'
import type { Fault } from '../../fakes/core/faults.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createDropbox } from '../../fakes/dropbox/dropbox.ts'
import { createGoogle } from '../../fakes/google/google.ts'
import { createTelegram, TELEGRAM_BOT } from '../../fakes/telegram/telegram.ts'
import { CLIENTS } from '../../tools/demo/scenario.ts'
import { connect, type DemoClient } from '../../tools/demo/skypool.ts'
import { startServer, type TestServer } from './server.ts'

const GB = 1024 ** 3

export type EmulatedServer = TestServer & {
  /** Where `https://HOST/path` of a provider is, as `/@HOST/path`. */
  readonly emulatorUrl: string
  /** Asks an emulator for something that no client can. */
  command(service: 'google' | 'dropbox' | 'telegram', name: string, body: object): Promise<void>
  /** Something goes wrong at a provider from now on. */
  fault(fault: Fault): Promise<void>
}

/** The built server on emulated providers, with two people at Google and one at Dropbox. */
export async function startEmulatedServer(env: Record<string, string> = {}): Promise<EmulatedServer> {
  const emulators = await startEmulators({ services: [createGoogle(), createDropbox(), createTelegram()] })
  const post = async (path: string, body: object) => {
    const response = await fetch(emulators.url + path, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  const command = (service: string, name: string, body: object) => post(`/__control/${service}/${name}`, body)
  await command('google', 'addClient', { id: CLIENTS.GOOGLE_CLIENT_ID, secret: CLIENTS.GOOGLE_CLIENT_SECRET })
  await command('dropbox', 'addClient', { id: CLIENTS.DROPBOX_CLIENT_ID, secret: CLIENTS.DROPBOX_CLIENT_SECRET })
  await command('google', 'addUser', { email: 'maren@post.example', name: 'Maren Holt', quotaBytes: 15 * GB })
  await command('google', 'addUser', { email: 'studio@post.example', name: 'Studio', quotaBytes: 100 * GB })
  await command('dropbox', 'addUser', { email: 'box@post.example', name: 'Maren Holt', quotaBytes: 2 * GB })
  const telegram = { TELEGRAM_BOT_TOKEN: TELEGRAM_BOT.token }
  const server = await startServer({ ...CLIENTS, ...telegram, PROVIDER_EMULATOR_URL: emulators.url, ...env })
  return {
    ...server,
    emulatorUrl: emulators.url,
    command,
    fault: (fault) => post('/__fault', fault),
    async close() {
      await server.close()
      await emulators.close()
    },
  }
}

/** The REST API as whoever is signed in on this page: for what a test is not about. */
export function restOf(page: Page, url: string): DemoClient {
  async function send(method: string, path: string, body?: object): Promise<Response> {
    const data = body === undefined ? {} : { data: body }
    // A connection that has idled may be closed by the server just when it is used again.
    const response = await page.request.fetch(url + path, { method, headers: { origin: url }, maxRetries: 2, ...data })
    if (!response.ok()) throw new Error(`${method} ${path} answered ${response.status()}: ${await response.text()}`)
    return new Response(new Uint8Array(await response.body()))
  }
  return { send, json: async (method, path, body) => (await send(method, path, body)).json() as Promise<never> }
}

type Pool = { readonly name: string; readonly accounts: readonly Account[]; readonly copies?: number }
type Account = { readonly service: 'google' | 'dropbox'; readonly name: string; readonly email: string }

/** Connects accounts by REST and makes the default group cloud of them. @returns the accounts' ids in their order */
export async function makePool(page: Page, url: string, { name, accounts, copies = 1 }: Pool): Promise<string[]> {
  const client = restOf(page, url)
  const accountIds: string[] = []
  for (const account of accounts) accountIds.push(await connect(client, account.service, account.name, account.email))
  const placement = 'IN_ORDER'
  await client.json('POST', '/api/v1/group-clouds', { name, accountIds, copies, placement, defaultUploadGroup: true })
  return accountIds
}

/** A group cloud of all accounts that there are. */
export async function poolAll(page: Page, url: string): Promise<void> {
  const client = restOf(page, url)
  const lists = await Promise.all(
    ['google', 'dropbox'].map((service) => client.json<List>('GET', `/api/v1/${service}-accounts`)),
  )
  const accountIds = lists.flatMap(({ items }) => items.map(({ id }) => id))
  await client.json('POST', '/api/v1/group-clouds', { name: 'All of them', accountIds })
}

type List = { readonly items: readonly { readonly id: string }[] }

/** What a person does in the provider's window. */
export async function consent(popup: Page, email: string, decision: 'allow' | 'deny' = 'allow'): Promise<void> {
  await popup.getByRole('radio', { name: email }).check()
  const closed = popup.waitForEvent('close')
  await popup.getByTestId(decision).click()
  await closed
}
