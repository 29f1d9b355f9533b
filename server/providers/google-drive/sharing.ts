import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { nothingWhen } from '../shared/failures.ts'
import type { DriveClient } from './client.ts'
import { KIND } from './wire.ts'

/** The permission of everybody who has the link; a file has one at most. */
const ANYONE = 'anyoneWithLink'

/** A link for ever in place of one that ends would be more than was asked for: refused. */
export async function share(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  if (expiresAt !== null) {
    const message = 'Google Drive does not end public links by itself.'
    throw new ProviderError('Forbidden', { provider: KIND, operation: 'share' }, { message })
  }
  const requestBody = { role: 'reader', type: 'anyone', allowFileDiscovery: false }
  await client.ask(call, 'share', (api, options) =>
    api.permissions.create({ fileId: ref, requestBody, fields: 'id', supportsAllDrives: true }, options),
  )
  const { webViewLink } = await client.ask(call, 'share', (api, options) =>
    api.files.get({ fileId: ref, fields: 'webViewLink', supportsAllDrives: true }, options),
  )
  return { url: webViewLink ?? `https://drive.google.com/open?id=${ref}`, expiresAt: null }
}

export async function unshare(client: DriveClient, call: Call, ref: EntryRef): Promise<void> {
  const removing = client.ask(call, 'unshare', (api, options) =>
    api.permissions.delete({ fileId: ref, permissionId: ANYONE, supportsAllDrives: true }, options),
  )
  await removing.catch(nothingWhen('NotFound'))
}
