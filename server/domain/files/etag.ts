import { createHash } from 'node:crypto'
import type { File } from '../services.ts'

/** Bytes of the digest that are kept: enough that two states of one entry never share an ETag. */
const BYTES = 15

/**
 * The entity tag (RFC 9110 8.8.3) of what people and programs change of an entry: its name, place, star, group cloud and content.
 * How far its copies are, its shares and what a folder contains do not count, so that nothing but a change by somebody else refuses one.
 */
export function etagOf(file: File): string {
  const { id, name, parentId, starred, trashedAt, groupCloudId, sha256, size } = file
  const parts = [id, name, parentId, starred, trashedAt?.getTime(), groupCloudId, sha256, size]
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return `"${digest.subarray(0, BYTES).toString('base64url')}"`
}
