import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { type GraphClient, itemUrl, KIND } from './client.ts'

type Permission = {
  readonly id: string
  readonly link?: { readonly type?: string; readonly scope?: string; readonly webUrl?: string }
  readonly expirationDateTime?: string
  /** Of a folder above, whose link must not be revoked. */
  readonly inheritedFrom?: object
}

/**
 * A link to view it without signing in. Graph returns the link that there is already, whatever its expiry: then that one is deleted
 * first, so that access does not last for longer than requested, and the address changes. Personal accounts without a
 * subscription have no links that expire, and organisations can forbid links: Forbidden.
 */
export async function share(
  client: GraphClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  const until = wholeSeconds(expiresAt)
  const made = await createLink(client, call, ref, until)
  if (expiryOf(made)?.getTime() === until?.getTime()) return linkOf(made)
  await deletePermission(client, call, 'share', ref, made.id)
  const other = await createLink(client, call, ref, until)
  // Organisations can set an earlier expiry for all links.
  const [end, latest] = [expiryOf(other)?.getTime() ?? Infinity, until?.getTime() ?? Infinity]
  if (end <= latest) return linkOf(other)
  await deletePermission(client, call, 'share', ref, other.id)
  const message = 'OneDrive does not make links with this expiry.'
  throw new ProviderError('Forbidden', { provider: KIND, operation: 'share' }, { message })
}

/** Deletes the links of the item itself. */
export async function unshare(client: GraphClient, call: Call, ref: EntryRef): Promise<void> {
  const url = `${itemUrl(ref)}/permissions`
  const page = await client
    .ask<{ readonly value?: readonly Permission[] }>(call, 'unshare', { url })
    .catch(nothingWhen('NotFound'))
  for (const permission of page?.value ?? []) {
    const isOwn = permission.link?.scope === 'anonymous' && !permission.inheritedFrom
    if (isOwn) await deletePermission(client, call, 'unshare', ref, permission.id)
  }
}

function createLink(client: GraphClient, call: Call, ref: EntryRef, until: Date | null): Promise<Permission> {
  const expiry = until ? { expirationDateTime: `${until.toISOString().slice(0, 19)}Z` } : {}
  return client.ask<Permission>(call, 'share', {
    method: 'POST',
    url: `${itemUrl(ref)}/createLink`,
    body: { type: 'view', scope: 'anonymous', ...expiry },
  })
}

async function deletePermission(
  client: GraphClient,
  call: Call,
  operation: string,
  ref: EntryRef,
  id: string,
): Promise<void> {
  const url = `${itemUrl(ref)}/permissions/${encodeURIComponent(id)}`
  await client.tell(call, operation, { method: 'DELETE', url }).catch(nothingWhen('NotFound'))
}

function linkOf(permission: Permission): ShareLink {
  const { webUrl } = permission.link ?? {}
  if (webUrl) return { url: webUrl, expiresAt: expiryOf(permission) }
  const message = 'The response has no link.'
  throw new ProviderError('Transient', { provider: KIND, operation: 'share' }, { message })
}

/** Graph writes an absent time as the first year in some answers. */
function expiryOf({ expirationDateTime }: Permission): Date | null {
  const date = expirationDateTime ? new Date(expirationDateTime) : null
  return date && date.getTime() > 0 ? date : null
}

const wholeSeconds = (date: Date | null): Date | null => date && new Date(Math.floor(date.getTime() / 1000) * 1000)
