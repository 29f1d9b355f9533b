import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { KIND } from './client.ts'
import { pathOf } from './entry.ts'

type Shared = { readonly shared_link?: SharedLink | null }
type SharedLink = {
  readonly url: string
  readonly effective_access?: string
  readonly unshared_at?: string | null
}

/** Driver.share. An existing link gets the new expiry. Plans without expiring links, or without open ones, refuse: Forbidden. */
export async function share(client: ApiClient, call: Call, ref: EntryRef, expiresAt: Date | null): Promise<ShareLink> {
  const link = { access: 'open', unshared_at: expiresAt?.toISOString() ?? null }
  const { shared_link: made } = await setLink(client, call, 'share', ref, link)
  if (!made) throw refused('Box made no link.')
  if (made.effective_access !== undefined && made.effective_access !== 'open') {
    await unshare(client, call, ref)
    throw refused('Links that anyone can open are not allowed in this account.')
  }
  return { url: made.url, expiresAt: made.unshared_at ? new Date(made.unshared_at) : null }
}

export async function unshare(client: ApiClient, call: Call, ref: EntryRef): Promise<void> {
  await setLink(client, call, 'unshare', ref, null).catch(nothingWhen('NotFound'))
}

function setLink(
  client: ApiClient,
  call: Call,
  operation: string,
  ref: EntryRef,
  link: object | null,
): Promise<Shared> {
  const url = pathOf(ref, operation)
  return client.ask<Shared>(call, operation, {
    method: 'PUT',
    url,
    query: { fields: 'shared_link' },
    json: { shared_link: link },
  })
}

const refused = (message: string): ProviderError =>
  new ProviderError('Forbidden', { provider: KIND, operation: 'share' }, { message })
