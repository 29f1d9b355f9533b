import { expect } from 'vitest'
import type { EntryRef } from '../../server/providers/driver.ts'
import { dropboxModule } from '../../server/providers/dropbox/module.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { LISTING } from './cases/listing.ts'
import { describeDriver } from './driverSuite.ts'
import { CHUNK, emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: 'dropbox',
    duplicateNames: false,
    caseSensitive: false,
    maxObjectBytes: 2_199_019_061_248,
    maxNameLength: 255,
    refusesName: expect.any(Function),
    overwrites: true,
    nameUnit: 'utf16',
    maxConcurrency: 8,
    maxConcurrentWrites: 4,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => method !== 'trash' && method !== 'restore'),
}
const OPERATIONS = {
  whole: 'files/upload',
  part: 'files/upload_session/append_v2',
  last: 'files/upload_session/finish',
  download: 'files/download',
  remove: 'files/delete_v2',
}
const user = 'ann@example.com'

async function makeHarness(access: 'full' | 'app_folder' = 'full'): Promise<Harness> {
  const dropbox = createDropbox()
  const emulators = await startEmulators({ services: [dropbox] })
  dropbox.commands.addUser({ email: user, quotaBytes: 1024 ** 3 })
  const { open } = dropboxModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    clientId: DROPBOX_CLIENT.id,
    clientSecret: DROPBOX_CLIENT.secret,
    access,
    limits: { chunkBytes: CHUNK, smallBytes: 1000, pageSize: PAGE },
  })
  const token = dropbox.commands.mintToken({ user })
  return emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open({ accessToken: token.access_token, refreshToken: token.refresh_token, expiresAt: null }),
    expireAccess: () => dropbox.commands.expireAccessTokens({ user }),
    fillQuota: () => dropbox.commands.setQuota({ user, quotaBytes: 0 }),
    trash: (id) => dropbox.commands.trash({ user, id }),
    overwrite: (id, text) => dropbox.commands.alter({ user, id, text }),
    async plantDocument() {
      const exportOptions = ['markdown', 'html', 'docx', 'pdf']
      const { id = '' } = await dropbox.commands.plant({ user, path: '/Plan.paper', text: 'x', exportOptions })
      return id as EntryRef
    },
  })
}

const SKIPS = {
  'moves to the trash and restores, also without the folder': 'Dropbox restores files one by one, and no folders.',
}
describeDriver('Dropbox', () => makeHarness(), { facts: FACTS, skips: SKIPS })
const LISTS_NOTHING = 'In an app folder, Dropbox shows only what Skypool stores.'
describeDriver('Dropbox, an app folder', () => makeHarness('app_folder'), {
  facts: { ...FACTS, optional: FACTS.optional.filter((method) => method !== 'listAll') },
  skips: { ...SKIPS, ...Object.fromEntries(LISTING.map(({ name }) => [name, LISTS_NOTHING])) },
})
