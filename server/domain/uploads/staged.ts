import type { ObjectStore } from '../../storage/objectStore.ts'
import { HEAD_BYTES, TAIL_BYTES } from '../files/types.ts'

/** The first bytes of a staged content, as many as the judgement of its type needs. */
export function readHead(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, 0, Math.min(size, HEAD_BYTES))
}

/** The last bytes, likewise. */
export function readTail(store: ObjectStore, objectId: string, size: number): Promise<Buffer> {
  return read(store, objectId, size, Math.max(0, size - TAIL_BYTES), size)
}

async function read(store: ObjectStore, objectId: string, size: number, start: number, end: number): Promise<Buffer> {
  if (start >= end) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for await (const part of store.open(objectId, size).read(start, end - 1)) parts.push(part)
  return Buffer.concat(parts)
}
