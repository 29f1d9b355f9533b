import { randomUUID } from 'node:crypto'
import { createS3Client } from '../../server/storage/s3/client.ts'
import { bodyOf, createS3Objects } from '../../server/storage/s3/objects.ts'
import type { BucketPlace } from '../../server/storage/s3/store.ts'
import type { S3Server } from '../fakes/s3/swift.ts'

export type TestBucket = {
  readonly place: BucketPlace
  /** All keys in it, below the prefix. */
  keys(): Promise<string[]>
  /** Stores an object by a request that no server has under way. */
  put(key: string, bytes: Buffer): Promise<unknown>
  /** Uploads that are not complete. */
  uploads(): Promise<number>
}

/** A new bucket of a service, with a prefix. */
export async function makeBucket({ endpoint, accessKey, secretKey }: S3Server): Promise<TestBucket> {
  const bucket = `test-${randomUUID()}`
  const place: BucketPlace = {
    endpoint,
    bucket,
    style: 'path',
    region: 'us-east-1',
    accessKey,
    secretKey,
    prefix: 'team/skypool',
  }
  const client = createS3Client({ bucket: place })
  await client.send({ operation: 'create bucket', method: 'PUT' })
  const objects = createS3Objects(client)
  return {
    place,
    async keys() {
      const { items } = await objects.list('')
      return items.map(({ key }) => key.slice(place.prefix.length + 1))
    },
    put: (key, bytes) => objects.put(`${place.prefix}/${key}`, bodyOf(bytes)),
    uploads: async () => (await objects.listUploads('')).items.length,
  }
}
