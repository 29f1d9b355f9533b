import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { type DriveClient, KIND } from './client.ts'

/** Id of the permission for anyone with the link; a file has at most one. */
const ANYONE = 'anyoneWithLink'

/** Refuses links with an expiry: Drive's links do not expire, which would give more access than requested. */
export async function share(
  client: DriveClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  if (expiresAt !== null) {
    const message = 'Public links of Google Drive cannot expire.'
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
