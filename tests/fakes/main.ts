import { createBox } from './box/box.ts'
import { startEmulators } from './core/server.ts'
import { createDropbox } from './dropbox/dropbox.ts'
import { createGithub } from './github/github.ts'
import { createGoogle } from './google/google.ts'
import { createMega } from './mega/mega.ts'
import { createNextcloud } from './nextcloud/nextcloud.ts'
import { createOneDrive } from './onedrive/onedrive.ts'
import { createPcloud } from './pcloud/pcloud.ts'
import { createTelegram } from './telegram/telegram.ts'

const DEFAULT_PORT = 9100

/** The emulated providers as a server of their own; ends on SIGINT and SIGTERM. */
const emulators = await startEmulators({
  services: [
    createGoogle(),
    createDropbox(),
    createOneDrive(),
    createBox(),
    createGithub(),
    createMega(),
    createPcloud(),
    createTelegram(),
    createNextcloud(),
  ],
  port: Number(process.env.PORT ?? DEFAULT_PORT),
})
console.log(`Emulated providers on ${emulators.url}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void emulators.close().then(() => process.exit(0))
  })
}
