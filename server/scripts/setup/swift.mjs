import { existsSync } from 'node:fs'
import { canInstall, unpackPackages } from './apt.mjs'

export const SWIFT_FOLDER = '.cache/swift'
const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object']

/**
 * Unpacks Debian's OpenStack Swift where possible, whose S3 API verifies the driver for Amazon S3. Without it, those tests are skipped
 * with a note, so failing to get it is no error.
 */
export async function unpackSwift() {
  if (existsSync(SWIFT_FOLDER) || !canInstall()) return
  console.log('Getting OpenStack Swift, which verifies the driver for Amazon S3')
  await unpackPackages(PACKAGES, SWIFT_FOLDER).catch((error) => console.warn(error.message))
}
