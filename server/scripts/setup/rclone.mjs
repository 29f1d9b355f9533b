import { existsSync } from 'node:fs'
import { canInstall, installPackages } from './apt.mjs'

/**
 * Debian's rclone, which judges the emulated providers: installed where that is possible. Without it its tests are skipped
 * and say so, which is no reason to stop.
 */
export async function installRclone() {
  if (existsSync('/usr/bin/rclone') || !canInstall()) return
  console.log('Installing rclone, which judges the emulated providers')
  await installPackages(['rclone', 'openssl', 'ca-certificates']).catch((error) => console.warn(error.message))
}
