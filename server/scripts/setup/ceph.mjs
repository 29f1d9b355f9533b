import { existsSync } from 'node:fs'
import { canInstall, unpackPackages } from './apt.mjs'

export const CEPH_FOLDER = '.cache/ceph'
const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-mgr']

/**
 * Unpacks Debian's Ceph, the second store behind STORAGE_URL that tests can run on (S3_SERVER=ceph): 70 MB of packages, so only when
 * it is wanted. @throws Error with the output of the command that failed
 */
export async function unpackCeph() {
  if (existsSync(CEPH_FOLDER)) return
  if (!canInstall()) throw new Error('Ceph is unpacked only as root on Debian.')
  console.log('Getting Ceph, which verifies the storage in a bucket')
  await unpackPackages(PACKAGES, CEPH_FOLDER)
}
