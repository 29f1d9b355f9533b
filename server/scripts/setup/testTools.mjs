import { findChromium, installHeadlessShell } from './chromium.mjs'
import { installDavServers } from './davServers.mjs'
import { unpackOpenssh } from './openssh.mjs'
import { unpackPgBouncer } from './pgbouncer.mjs'
import { unpackPrometheus } from './prometheus.mjs'
import { installRclone } from './rclone.mjs'
import { unpackSwift } from './swift.mjs'

/**
 * Gets the programs that the tests use, where they are missing and can be installed: one after the other, for the package manager has
 * one lock. Most of the time it waits for the network.
 * @returns {Promise<string>} the path of Chromium
 * @throws Error with instructions, where there is none
 */
export async function getTestTools() {
  await installRclone()
  await installDavServers()
  await unpackSwift()
  await unpackPgBouncer()
  await unpackPrometheus()
  await unpackOpenssh()
  await installHeadlessShell()
  return findChromium()
}
