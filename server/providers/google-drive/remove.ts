import type { Call } from '../driver.ts'
import { nothingWhen } from '../shared/failures.ts'
import type { DriveClient } from './client.ts'

/** For good, past the trash: what lies there counts against the account. What is gone already is fine. */
export async function remove(client: DriveClient, call: Call, ref: string): Promise<void> {
  const removing = client.ask(call, 'delete', (api, options) =>
    api.files.delete({ fileId: ref, supportsAllDrives: true }, options),
  )
  await removing.catch(nothingWhen('NotFound'))
}
