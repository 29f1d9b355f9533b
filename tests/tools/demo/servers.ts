import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeBucket, storeText } from '../../conformance/amazonS3Harness.ts'
import { startS3Emulator } from '../../fakes/s3/emulator.ts'
import { NEXTCLOUD, nextcloudAddress } from './people.ts'
import { freePort } from './processes.ts'
import { pathOf, sampleFiles } from './samples.ts'
import { type Login, startSftpServer } from './sftpServer.ts'

/** Skypool may call the servers of the demo, which are all on this machine. */
export const OWN_SERVERS = { ALLOW_PRIVATE_HOSTS: '127.0.0.1' }

const SFTP: Login = { user: 'maren', password: 'harbour house' }

/** Servers whose accounts are connected with a form. `text`: what to enter. */
export type FormServers = { readonly text: string; close(): Promise<void> }

/** Starts the SFTP server and the S3 service of the demo; the emulators have the Nextcloud. The server and the bucket hold sample files. */
export async function startFormServers(emulator: string): Promise<FormServers> {
  const s3 = await startS3()
  const port = await freePort(Number(process.env.SFTP_PORT ?? 2222))
  const folder = mkdtempSync(join(tmpdir(), 'skypool-sftp-'))
  for (const file of sampleFiles()) {
    const path = join(folder, pathOf(file))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.bytes)
  }
  const server = await startSftpServer(folder, SFTP, port)
  const text = `To connect with a form in Add Storage:
  SFTP            server 127.0.0.1, port ${port}, user ${SFTP.user}, password ${SFTP.password},
                  host key ${server.fingerprint}
  WebDAV          ${nextcloudAddress(emulator)}, user ${NEXTCLOUD.user}, password ${NEXTCLOUD.password}
  S3              ${s3.text}`
  return {
    text,
    async close() {
      await Promise.all([server.close(), s3.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An emulated S3 API with a bucket. */
async function startS3(): Promise<FormServers> {
  const { endpoint, accessKey, secretKey, ...server } = await startS3Emulator()
  const bucket = await makeBucket({ endpoint, accessKey, secretKey, ...server }, '', 'studio-holt')
  for (const file of sampleFiles()) await storeText(bucket, pathOf(file), file.bytes)
  const text = `Another service with the S3 API, endpoint ${endpoint}, bucket ${bucket.name}, access key ${accessKey}, secret key ${secretKey}`
  return { text, close: server.close }
}
