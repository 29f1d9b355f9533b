import type { Page } from 'playwright-core'
import { CLIENTS } from '../../../server/scripts/demo/scenario.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createDropbox } from '../../fakes/dropbox/dropbox.ts'
import { createGoogle } from '../../fakes/google/google.ts'
import { startServer, type TestServer } from './server.ts'

const GB = 1024 ** 3

export type EmulatedServer = TestServer & {
  /** Asks an emulator for something that no client can. */
  command(service: 'google' | 'dropbox', name: string, body: object): Promise<void>
}

/** The built server on emulated providers, with two people at Google and one at Dropbox. */
export async function startEmulatedServer(env: Record<string, string> = {}): Promise<EmulatedServer> {
  const emulators = await startEmulators({ services: [createGoogle(), createDropbox()] })
  const command = async (service: string, name: string, body: object) => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${emulators.url}/__control/${service}/${name}`, init)
    if (!response.ok) throw new Error(`${service} ${name}: ${await response.text()}`)
  }
  await command('google', 'addClient', { id: CLIENTS.GOOGLE_CLIENT_ID, secret: CLIENTS.GOOGLE_CLIENT_SECRET })
  await command('dropbox', 'addClient', { id: CLIENTS.DROPBOX_CLIENT_ID, secret: CLIENTS.DROPBOX_CLIENT_SECRET })
  await command('google', 'addUser', { email: 'maren@post.example', name: 'Maren Holt', quotaBytes: 15 * GB })
  await command('google', 'addUser', { email: 'studio@post.example', name: 'Studio', quotaBytes: 100 * GB })
  await command('dropbox', 'addUser', { email: 'box@post.example', name: 'Maren Holt', quotaBytes: 2 * GB })
  const server = await startServer({ ...CLIENTS, PROVIDER_EMULATOR_URL: emulators.url, ...env })
  return {
    url: server.url,
    command,
    async close() {
      await server.close()
      await emulators.close()
    },
  }
}

/** What a person does in the provider's window. */
export async function consent(popup: Page, email: string, decision: 'allow' | 'deny' = 'allow'): Promise<void> {
  await popup.getByRole('radio', { name: email }).check()
  const closed = popup.waitForEvent('close')
  await popup.getByTestId(decision).click()
  await closed
}
