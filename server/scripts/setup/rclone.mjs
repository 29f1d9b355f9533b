import { existsSync } from 'node:fs'
import { canInstall, installPackages } from './apt.mjs'

/**
 * Installs Debian's rclone where possible; it verifies the emulated providers. Without it, its tests are skipped with a note, so
 * failing to install it is no error.
 */
export async function installRclone() {
  if (existsSync('/usr/bin/rclone') || !canInstall()) return
  console.log('Installing rclone, which verifies the emulated providers')
  await installPackages(['rclone', 'openssl', 'ca-certificates']).catch((error) => console.warn(error.message))
}
