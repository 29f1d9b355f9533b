import type { EntryRef } from '../../server/providers/driver.ts'
import { googleDriveModule } from '../../server/providers/google-drive/module.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { LISTING } from './cases/listing.ts'
import { describeDriver } from './driverSuite.ts'
import { CHUNK, emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'md5',
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: 5_242_880_000_000,
    maxNameLength: 255,
    overwrites: true,
    nameUnit: 'utf16',
    maxConcurrency: 10,
    maxConcurrentWrites: 4,
    resumable: true,
  },
  optional: OPTIONAL,
}
const SKIPS = {
  'tells names apart by case, or does not, as it says': 'Names may be equal.',
  'replaces nothing by a move or a copy': 'Names may be equal.',
}
const OPERATIONS = {
  whole: 'drive.files.create',
  part: 'drive.upload.chunk',
  last: 'drive.upload.chunk',
  download: 'drive.files.download',
  remove: 'drive.files.delete',
}
const user = 'ann@example.com'

async function makeHarness(scope: 'drive' | 'drive.file'): Promise<Harness> {
  const google = createGoogle()
  const emulators = await startEmulators({ services: [google] })
  google.commands.addUser({ email: user, quotaBytes: 1024 ** 3 })
  const { open } = googleDriveModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    clientId: GOOGLE_CLIENT.id,
    clientSecret: GOOGLE_CLIENT.secret,
    scope,
    limits: { chunkBytes: CHUNK, smallBytes: 1000, pageSize: PAGE },
  })
  const token = google.commands.mintToken({ user, scope: `https://www.googleapis.com/auth/${scope}` })
  return emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open({ accessToken: token.access_token, refreshToken: token.refresh_token, expiresAt: null }),
    expireAccess: () => google.commands.expireAccessTokens({ user }),
    fillQuota: () => google.commands.setQuota({ user, quotaBytes: 0 }),
    trash: (id) => google.commands.alter({ user, id, trashed: true }),
    overwrite: (id, text) => google.commands.alter({ user, id, text }),
    async plantDocument() {
      const mimeType = 'application/vnd.google-apps.document'
      const { id = '' } = await google.commands.plant({ user, name: 'Plan', mimeType, createdBy: GOOGLE_CLIENT.id })
      return id as EntryRef
    },
  })
}

describeDriver('Google Drive', () => makeHarness('drive'), { facts: FACTS, skips: SKIPS })
const LISTS_NOTHING = 'With drive.file, Drive shows only what Skypool stores.'
describeDriver('Google Drive, its own files only', () => makeHarness('drive.file'), {
  facts: { ...FACTS, optional: OPTIONAL.filter((method) => method !== 'listAll') },
  skips: { ...SKIPS, ...Object.fromEntries(LISTING.map(({ name }) => [name, LISTS_NOTHING])) },
})
