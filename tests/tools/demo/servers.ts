import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NEXTCLOUD, nextcloudAddress } from './people.ts'
import { freePort } from './processes.ts'
import { type Login, startSftpServer } from './sftpServer.ts'

/** Skypool may call the servers of the demo, which are all on this machine. */
export const OWN_SERVERS = { ALLOW_PRIVATE_HOSTS: '127.0.0.1' }

const SFTP: Login = { user: 'maren', password: 'harbour house' }

/** Servers whose accounts are connected with a form. `text`: what to enter. */
export type FormServers = { readonly text: string; close(): Promise<void> }

/** Starts the SFTP server of the demo; the emulators have the Nextcloud. */
export async function startFormServers(emulator: string): Promise<FormServers> {
  const port = await freePort(Number(process.env.SFTP_PORT ?? 2222))
  const folder = mkdtempSync(join(tmpdir(), 'skypool-sftp-'))
  const server = await startSftpServer(folder, SFTP, port)
  const text = `To connect with a form in Add Storage:
  SFTP            server 127.0.0.1, port ${port}, user ${SFTP.user}, password ${SFTP.password}
  WebDAV          ${nextcloudAddress(emulator)}, user ${NEXTCLOUD.user}, password ${NEXTCLOUD.password}`
  return {
    text,
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
