import { existsSync } from 'node:fs'
import { canInstall, unpackPackages } from './apt.mjs'

const FOLDER = '.cache/openssh'

/**
 * Unpacks Debian's OpenSSH server where possible; it verifies the driver for SFTP. Without it, those tests are skipped with a note, so
 * failing to get it is no error.
 */
export async function unpackOpenssh() {
  const isThere = existsSync('/usr/sbin/sshd') && existsSync('/usr/lib/openssh/sftp-server')
  if (isThere || existsSync(FOLDER) || !canInstall()) return
  console.log('Getting OpenSSH, which verifies the driver for SFTP')
  await unpackPackages(['openssh-server', 'openssh-sftp-server'], FOLDER).catch((error) => console.warn(error.message))
}
