import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmulators } from '../../fakes/core/server.ts'
import { createMega } from '../../fakes/mega/mega.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../../fakes/nextcloud/nextcloud.ts'
import { createPcloud, PCLOUD_CLIENT } from '../../fakes/pcloud/pcloud.ts'
import { startSftpServer } from '../../tools/demo/sftpServer.ts'
import { freePort, startServer, type TestServer } from './server.ts'

const GB = 1024 ** 3

/** What people enter in forms, by the labels of the fields. */
export type Entered = Readonly<Record<string, string>>

export type FormServer = TestServer & {
  readonly pcloud: { readonly email: string }
  readonly sftp: Entered
  readonly webdav: Entered
  readonly mega: Entered
  /** How many files each provider holds, unfinished ones and those of uploads included. */
  stored(): { readonly pcloud: number; readonly sftp: number; readonly webdav: number }
  /** Closes the sessions of MEGA, as its user can. */
  endMegaSessions(): void
}

/** The built server, with pCloud, MEGA and a Nextcloud emulated, and a folder by SFTP. */
export async function startFormServer(): Promise<FormServer> {
  const [pcloud, mega, nextcloud] = [createPcloud(), createMega(), createNextcloud()]
  const emulators = await startEmulators({ services: [pcloud, mega, nextcloud] })
  const email = 'maren@post.example'
  const password = 'a plank for the harbour'
  pcloud.commands.addUser({ email, name: 'Maren Holt', quotaBytes: 10 * GB })
  mega.commands.addUser({ email, password, quotaBytes: 20 * GB })
  nextcloud.commands.addUser({ id: 'maren', appPassword: password, quotaBytes: 5 * GB })
  const folder = mkdtempSync(join(tmpdir(), 'skypool-e2e-sftp-'))
  const port = await freePort()
  const sftp = await startSftpServer(folder, { user: 'maren', password }, port)
  const server = await startServer({
    PROVIDER_EMULATOR_URL: emulators.url,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PCLOUD_CLIENT_ID: PCLOUD_CLIENT.id,
    PCLOUD_CLIENT_SECRET: PCLOUD_CLIENT.secret,
  })
  const filesIn = (listed: readonly { isFolder: boolean }[]) => listed.filter(({ isFolder }) => !isFolder).length
  return {
    ...server,
    pcloud: { email },
    sftp: {
      Server: '127.0.0.1',
      'Port (optional)': String(port),
      'User name': 'maren',
      Password: password,
    },
    webdav: {
      'Server address': `${emulators.url}/@${NEXTCLOUD_HOST}`,
      'User name': 'maren',
      Password: password,
    },
    mega: { 'Email address': email, Password: password },
    stored: () => ({
      pcloud: filesIn(pcloud.commands.objects({ user: email })),
      sftp: readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length,
      webdav: filesIn(nextcloud.commands.objects({ id: 'maren' })),
    }),
    endMegaSessions: () => void mega.commands.endSessions({ user: email }),
    async close() {
      await server.close()
      await Promise.all([sftp.close(), emulators.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
