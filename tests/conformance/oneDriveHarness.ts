import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { oneDriveModule } from '../../server/providers/onedrive/module.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import { startEmulators } from '../fakes/core/server.ts'
import type { DriveType } from '../fakes/onedrive/model.ts'
import { createOneDrive, ONEDRIVE_CLIENT, type OneDriveService } from '../fakes/onedrive/onedrive.ts'
import { emulatedHarness, PAGE } from './emulated.ts'
import type { Harness } from './harness.ts'

/** OneDrive takes parts in multiples of this. */
const CHUNK = 320 * 1024
const user = 'ann@example.com'
const OPERATIONS = {
  whole: 'items.content.put',
  part: 'upload.put',
  last: 'upload.put',
  download: 'download',
  remove: 'items.permanentDelete',
}

export type OneDriveHarnessOptions = {
  readonly driveType?: DriveType
  /** Puts something around each driver. */
  readonly wrap?: (driver: Driver) => Driver
  readonly prepare?: (commands: OneDriveService['commands']) => void
}

/** One account of an emulated OneDrive. */
export async function oneDriveHarness({
  driveType = 'personal',
  wrap = (driver) => driver,
  prepare,
}: OneDriveHarnessOptions = {}): Promise<Harness> {
  const oneDrive = createOneDrive()
  const { commands } = oneDrive
  const emulators = await startEmulators({ services: [oneDrive] })
  commands.addUser({ email: user, quotaBytes: 1024 ** 3, driveType })
  prepare?.(commands)
  const { open } = oneDriveModule({
    http: createHttp({ emulatorUrl: new URL(emulators.url) }),
    clientId: ONEDRIVE_CLIENT.id,
    clientSecret: ONEDRIVE_CLIENT.secret,
    limits: { chunkBytes: CHUNK, smallBytes: 1000, pageSize: PAGE, pollMs: 1 },
  })
  const token = commands.mintToken({ user })
  return emulatedHarness({
    emulators,
    operations: OPERATIONS,
    chunkBytes: CHUNK,
    open: () => wrap(open({ accessToken: token.access_token, refreshToken: token.refresh_token, expiresAt: null })),
    expireAccess: () => commands.expireAccessTokens({ user }),
    fillQuota: () => commands.setQuota({ user, quotaBytes: 0 }),
    trash: (id: EntryRef) => commands.trash({ user, id }),
    overwrite: (id, text) => commands.alter({ user, id, text }),
    unfinished: commands.sessions,
  })
}
