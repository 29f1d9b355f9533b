import { unpackSwift } from '../../../server/scripts/setup/swift.mjs'
import { startCeph } from './ceph.ts'
import { type RealS3Server, startSwift, whyNoSwift } from './swift.ts'

/**
 * Gets the real store that the storage in a bucket is tested on: Swift, or Ceph with the environment variable S3_SERVER=ceph.
 * @returns why there is none; null when `startStore` can be called
 */
export async function prepareStore(): Promise<string | null> {
  if (isCeph()) return null
  await unpackSwift()
  return whyNoSwift()
}

/** @throws Error where `prepareStore` gave a reason */
export function startStore(): Promise<RealS3Server> {
  return isCeph() ? startCeph() : startSwift()
}

function isCeph(): boolean {
  const { S3_SERVER: name = 'swift' } = process.env
  if (name !== 'swift' && name !== 'ceph') throw new Error('S3_SERVER is swift, ceph or not set.')
  return name === 'ceph'
}
