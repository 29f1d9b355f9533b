import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startProcess } from './processes.ts'
import { CLIENTS, PERSON, prepare } from './scenario.ts'
import { OWN_SERVERS, startFormServers } from './servers.ts'

/** Vite's own port. */
const WEB = 'http://localhost:5173'

/**
 * `npm run dev:demo`: `npm run dev` with emulated Google, Dropbox and OneDrive, and the person, accounts and files of the demo. Its data folder is
 * temporary and survives restarts of the server, but not the end of this process.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'skypool-dev-'))
chmodSync(dataDir, 0o755) // the database's own user must be able to enter
const emulator = `http://127.0.0.1:${await freePort(Number(process.env.EMULATOR_PORT ?? 9100))}`
const port = await freePort(Number(process.env.PORT ?? 3000))
process.env.LOG_LEVEL ??= 'info' // shows the output of both processes

const emulators = startProcess([join('node_modules', '.bin', 'tsx'), 'tests/fakes/main.ts'], {
  PORT: new URL(emulator).port,
})
const dev = startProcess([process.execPath, 'server/scripts/dev.mjs'], {
  ...CLIENTS,
  ...OWN_SERVERS,
  PORT: String(port),
  PUBLIC_URL: WEB,
  DATA_DIR: dataDir,
  PROVIDER_EMULATOR_URL: emulator,
  AVATAR_URL: `${emulator}/no-pictures/`,
})

const forms = await startFormServers(emulator)

let ending = false
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  await Promise.all([dev.stop(), emulators.stop(), forms.close()])
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0))
for (const child of [dev, emulators]) void child.exited.then((code) => end(code ?? 1))

try {
  await Promise.all([
    dev.answers(`http://127.0.0.1:${port}/ready`),
    dev.answers(WEB),
    emulators.answers(`${emulator}/`),
  ])
  await prepare(WEB, emulator)
  console.log(`
Ready on ${WEB}
  Sign in as      ${PERSON.email}
  with password   ${PERSON.password}
${forms.text}
Emulated providers: ${emulator}`)
} catch (error) {
  if (!ending) console.error(error)
  await end(1)
}
