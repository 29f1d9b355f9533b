import { afterAll, beforeAll, describe } from 'vitest'
import { unpackSwift } from '../../server/scripts/setup/swift.mjs'
import { type S3Server, startSwift, whyNoSwift } from '../fakes/s3/swift.ts'
import { s3Harness } from './amazonS3Harness.ts'
import { describeS3Service } from './amazonS3Service.ts'
import type { DriverFacts } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { keptPartSkips, NO_THUMBNAILS } from './harness.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'md5',
    duplicateNames: false,
    caseSensitive: true,
    maxObjectBytes: 5 * 1024 ** 4,
    maxNameLength: 255,
    nameUnit: 'bytes',
    maxConcurrency: 16,
    maxConcurrentWrites: 4,
    resumable: true,
    pathRefs: true,
  },
  optional: ['listAll', 'move', 'copy'],
}

const NO_FEED = 'The service reports no changes.'
const NO_TRASH = 'The service has no trash.'
const SKIPS = {
  ...keptPartSkips('Each request is compared with its MD5: the service keeps all of it or nothing.'),
  ...NO_THUMBNAILS,
  'exports a document in the types that it names, and in no other': 'All files have bytes.',
  'lists nothing that was deleted or is in the trash': NO_TRASH,
  'moves to the trash and restores, also without the folder': NO_TRASH,
  'reports as changes what changed during a listing of everything': NO_FEED,
  'tells what changed since a cursor': NO_FEED,
  'tells where an entry went': NO_FEED,
  'says CursorReset of a cursor that it does not know': NO_FEED,
  'shares by a link, and ends it': 'Its links cannot be ended.',
}

/** Another service, for which this file is run by hand: `S3_TEST_ENDPOINT`, `S3_TEST_KEY` and `S3_TEST_SECRET`; parts of 64 KiB must be possible. */
const { S3_TEST_ENDPOINT: endpoint, S3_TEST_KEY: accessKey = '', S3_TEST_SECRET: secretKey = '' } = process.env
const conditions = process.env.S3_TEST_CONDITIONS === 'none' ? 'none' : 'known'
const given: S3Server | null = endpoint
  ? { endpoint, accessKey, secretKey, conditions, close: async () => undefined }
  : null
if (!given) await unpackSwift()
const missing = given ? null : whyNoSwift()
let server: S3Server

describe.skipIf(missing !== null)(`${given?.endpoint ?? 'Swift'}${missing === null ? '' : `: ${missing}`}`, () => {
  beforeAll(async () => {
    server = given ?? (await startSwift())
  })
  afterAll(() => server?.close())

  describeDriver('Amazon S3', () => s3Harness(server), { facts: FACTS, skips: SKIPS })
  describeS3Service('Amazon S3', () => server)
})
