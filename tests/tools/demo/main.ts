import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE_FLAGS } from '../../setup/nodeFlags.ts'
import { MEGA, TELEGRAM_TOKEN } from './people.ts'
import { freePort, startProcess } from './processes.ts'
import { CLIENTS, PERSON, prepare } from './scenario.ts'
import { OWN_SERVERS, startFormServers } from './servers.ts'

/**
 * `npm run demo`: Skypool on emulated Google, Dropbox and OneDrive, consent pages included, with people, accounts and files to look
 * at. Everything lives in a temporary folder and is gone when it ends.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'skypool-demo-'))
// Below root's own home the database's user must be able to pass; what is inside stays closed.
chmodSync(dataDir, 0o755)
const emulatorPort = await freePort(Number(process.env.EMULATOR_PORT ?? 9100))
const port = await freePort(Number(process.env.PORT ?? 3000))
const emulator = `http://127.0.0.1:${emulatorPort}`
const url = `http://localhost:${port}`

const emulators = startProcess([join('node_modules', '.bin', 'tsx'), 'tests/fakes/main.ts'], {
  PORT: String(emulatorPort),
})
const server = startProcess([process.execPath, ...NODE_FLAGS, 'dist/server/main.cjs'], {
  ...CLIENTS,
  ...OWN_SERVERS,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: url,
  DATA_DIR: dataDir,
  PROVIDER_EMULATOR_URL: emulator,
  AVATAR_URL: `${emulator}/no-pictures/`,
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
})

const forms = await startFormServers(emulator)

let ending = false
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  await Promise.all([server.stop(), emulators.stop(), forms.close()])
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0))
for (const child of [server, emulators]) void child.exited.then((code) => end(code ?? 1))

try {
  await Promise.all([server.answers(`${url}/ready`), emulators.answers(`${emulator}/`)])
  await prepare(url, emulator)
  console.log(`
The demo is ready on ${url}
  Sign in as      ${PERSON.email}
  with password   ${PERSON.password}
${forms.text}
Emulated providers: ${emulator} (more accounts wait there to be connected)
  In a window of a provider, choose a person and Allow. For GitHub, the app is installed for a repository already.
  A bot of Telegram, to be connected with any passphrase of at least 12 characters: ${TELEGRAM_TOKEN}
  MEGA: ${MEGA.map(({ email, password, code }) => `${email}, ${password}${code ? `, code ${code}` : ''}`).join('; ')}
Everything is gone when you stop it with Ctrl+C.`)
} catch (error) {
  if (!ending) console.error(error)
  await end(1)
}
