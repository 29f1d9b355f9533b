import { join } from 'node:path'
import type { Driver } from '../../../server/providers/driver.ts'
import type { SftpLimits } from '../../../server/providers/sftp/limits.ts'
import { credentialsOf, loginOf } from '../../../server/providers/sftp/login.ts'
import { sftpModule } from '../../../server/providers/sftp/module.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { type Sshd, USER } from './sshd.ts'
import { startTcpProxy, type TcpProxy } from './tcpProxy.ts'

/** So small that a few entries are several pages, and a short content several requests. */
export const SMALL: SftpLimits = {
  readBytes: 16 * 1024,
  writeBytes: 16 * 1024,
  depth: 4,
  pageSize: 10,
  folderEntries: 1_000,
  copyBytes: 200 * 1024,
}

/** An empty folder of a server, and the way to it. */
export type SftpAccount = {
  /** On the server. */
  readonly folder: string
  readonly privateKey: string
  readonly proxy: TcpProxy
  /** A new driver with connections of its own. */
  open(): Driver
  close(): Promise<void>
}

let accounts = 0

export async function createSftpAccount(sshd: Sshd, limits: SftpLimits = SMALL): Promise<SftpAccount> {
  accounts += 1
  const folder = join(sshd.home, `account ${accounts}`)
  await sshd.run(`mkdir '${folder}'`)
  const [proxy, privateKey] = [await startTcpProxy(sshd.port), sshd.addKey()]
  const { fingerprint } = sshd
  const login = loginOf({ host: '127.0.0.1', port: String(proxy.port), user: USER, privateKey, fingerprint, folder })
  return {
    folder,
    privateKey,
    proxy,
    open: () => sftpModule({ guard: createHostGuard(true), limits }).open(credentialsOf(login)),
    async close() {
      await proxy.close()
      await sshd.run(`chmod -R u+rwx '${folder}'; rm -rf '${folder}'`)
    },
  }
}
