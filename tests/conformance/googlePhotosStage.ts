import type { Credentials, Driver } from '../../server/providers/driver.ts'
import { googlePhotosModule } from '../../server/providers/google-photos/module.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import type { Fault } from '../fakes/core/faults.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT, type GoogleService } from '../fakes/google/google.ts'
import { CHUNK, PAGE } from './emulated.ts'
import type { FaultKind, Harness, ServiceFault } from './harness.ts'

export const USER = 'ann@example.com'
const PREFIX = 'https://www.googleapis.com/auth/photoslibrary'
export const PHOTOS_SCOPES = `openid email profile ${PREFIX}.appendonly ${PREFIX}.readonly.appcreateddata`

export type PhotosStage = {
  readonly google: GoogleService
  readonly emulators: Emulators
  open(scope?: string): Driver
  /** Lets time pass for the driver and for Google. */
  pass(ms: number): void
}

export async function photosStage(): Promise<PhotosStage> {
  let now = Date.now()
  const clock = (): number => now
  const google = createGoogle({ clock })
  const emulators = await startEmulators({ services: [google] })
  google.commands.addUser({ email: USER, quotaBytes: 1024 ** 3 })
  const module = googlePhotosModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    clientId: GOOGLE_CLIENT.id,
    clientSecret: GOOGLE_CLIENT.secret,
    limits: { chunkBytes: CHUNK, pageSize: PAGE },
    now: clock,
  })
  const credentials = (scope: string): Credentials => {
    const token = google.commands.mintToken({ user: USER, scope })
    return { accessToken: token.access_token, refreshToken: token.refresh_token, expiresAt: null }
  }
  google.commands.tokenLife({ seconds: 10 * 24 * 3600 })
  return {
    google,
    emulators,
    open: (scope = PHOTOS_SCOPES) => module.open(credentials(scope)),
    pass(ms) {
      now += ms
    },
  }
}

const NO_DELETION = 'Programs can delete nothing in Google Photos.'
const NO_NESTING = 'Albums contain no folders.'
const NO_EMPTY = 'Google Photos takes no empty files.'
const NO_FEED = 'Google Photos reports no changes.'

export const PHOTOS_LACKS: Readonly<Record<string, string>> = {
  'keeps no bytes': NO_EMPTY,
  'keeps odd names': 'Names of other files than photos and videos are refused.',
  'says NotFound of what is gone': NO_DELETION,
  'says NotFound of a folder that is gone': NO_DELETION,
  'deletes what is there, and what is gone already': NO_DELETION,
  'keeps folders apart': NO_NESTING,
  'lists everything in the account once, over several pages': NO_NESTING,
  'says of everything where it is, up to the root, and does not list the root': NO_NESTING,
  'gives the same complete details of an entry in every list': 'Nothing can be changed there.',
  'reports as changes what changed during a listing of everything': NO_FEED,
  'tells what changed since a cursor': NO_FEED,
  'tells where an entry went': NO_FEED,
  'does not claim to see what vanished': NO_EMPTY,
}

const FAULTS: readonly FaultKind[] = ['rateLimit', 'serverError', 'reset', 'cutUp', 'cutDown', 'shortBody', 'vanish']

/** The suite's contents are no photos, so the emulated service takes all for this. */
export async function photosHarness(wrap = (driver: Driver): Driver => driver): Promise<Harness> {
  const { google, emulators, open } = await photosStage()
  google.commands.takeAll({ on: true })
  return {
    driver: wrap(open()),
    reopen: () => wrap(open()),
    chunkBytes: CHUNK,
    manyEntries: 2 * PAGE + 5,
    keepsNames: true,
    keepsHash: true,
    lacks: PHOTOS_LACKS,
    faults: new Set(FAULTS),
    plan(fault) {
      emulators.clearFaults()
      emulators.plan(faultOf(fault))
    },
    expireAccess: () => google.commands.expireAccessTokens({ user: USER }),
    fillQuota: () => google.commands.setQuota({ user: USER, quotaBytes: 0 }),
    receivedBytes: () =>
      emulators.log().reduce((sum, { operation, bytesIn }) => sum + (operation === UPLOAD ? bytesIn : 0), 0),
    async close() {
      const bugs = emulators.log().flatMap(({ bug }) => bug ?? [])
      await emulators.close()
      if (bugs.length > 0) throw new Error(`The emulator has bugs: ${bugs.join('\n')}`)
    },
  }
}

export const UPLOAD = 'photos.uploads.upload'

function faultOf(fault: ServiceFault): Fault {
  switch (fault.kind) {
    case 'rateLimit':
      return { kind: 'rateLimit', retryAfter: fault.retryAfterMs / 1000 }
    case 'cutUp':
      return {
        kind: 'cutUp',
        operation: UPLOAD,
        after: Math.floor(fault.afterBytes / CHUNK),
        bytes: fault.afterBytes % CHUNK,
      }
    case 'cutDown':
      return { kind: 'cutDown', operation: 'photos.bytes', bytes: fault.afterBytes }
    case 'shortBody':
      return { kind: 'shortBody', operation: 'photos.bytes', bytes: fault.bytes, agreeing: true }
    default:
      return { kind: fault.kind }
  }
}
