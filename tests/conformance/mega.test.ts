import { megaModule } from '../../server/providers/mega/module.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createMega } from '../fakes/mega/mega.ts'
import { type DriverFacts, OPTIONAL } from './capabilities.ts'
import { describeDriver } from './driverSuite.ts'
import { emulatedHarness, PAGE } from './emulated.ts'
import { type Harness, NO_THUMBNAILS } from './harness.ts'

const FACTS: DriverFacts = {
  capabilities: {
    hash: null,
    duplicateNames: true,
    caseSensitive: true,
    maxObjectBytes: null,
    maxNameLength: 255,
    nameUnit: 'utf16',
    maxConcurrency: 6,
    maxConcurrentWrites: 3,
    resumable: true,
  },
  optional: OPTIONAL.filter((method) => method !== 'export' && method !== 'thumbnail'),
}
/** The first chunk of MEGA's: parts cannot be smaller. */
const CHUNK = 128 * 1024
const OPERATIONS = { whole: 'upload', part: 'upload', last: 'upload', any: 'p', download: 'download', remove: 'd' }
const user = 'ann@example.com'

async function makeHarness(): Promise<Harness> {
  const mega = createMega()
  const emulators = await startEmulators({ services: [mega] })
  mega.commands.addUser({ email: user, password: 'correct horse', quotaBytes: 1024 ** 3 })
  const { open } = megaModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    limits: { partBytes: CHUNK, pageSize: PAGE },
  })
  const credentials = { expiresAt: null, ...mega.commands.mintSession({ user }) }
  const { overwrite: _overwrite, ...harness } = emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => open(credentials),
    expireAccess: () => mega.commands.endSessions({ user }),
    fillQuota: () => mega.commands.setQuota({ user, quotaBytes: 0 }),
    trash: (id) => mega.commands.trash({ user, id }),
    overwrite: () => undefined,
  })
  return {
    ...harness,
    faults: new Set([...harness.faults].filter((fault) => fault !== 'rateLimit')),
  }
}

const ONE_CONTENT = 'MEGA stores another content as another file.'
describeDriver('MEGA', makeHarness, {
  facts: FACTS,
  skips: {
    ...NO_THUMBNAILS,
    'says the hash of what is there':
      'Contents are encrypted: MEGA does not know a hash, and what is stored is read back.',
    'gives a file another revision when its content changes': ONE_CONTENT,
    'exports a document in the types that it names, and in no other': 'All files have bytes.',
    'says TooLarge before it reads a content that no account takes': 'There is no largest content.',
    'says RateLimited, and for how long': 'MEGA does not say how long to wait.',
    'tells names apart by case, or does not, as it says': 'Names may be equal.',
    'replaces nothing by a move or a copy': 'Names may be equal.',
  },
})
