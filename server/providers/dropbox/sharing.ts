import type { sharing } from 'dropbox'
import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { nothingWhen } from '../shared/failures.ts'
import type { DropboxClient } from './client.ts'
import { KIND } from './wire.ts'

type Link = { readonly url: string; readonly expires?: string }

/** Plans without links that end refuse one: Forbidden. */
export async function share(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  const known = (await linksOf(client, call, 'share', ref))[0]
  if (known && expiryOf(known)?.getTime() === wholeSeconds(expiresAt)?.getTime()) return linkOf(known)
  if (known) {
    const message = 'There is a link that ends at another time.'
    throw new ProviderError('Forbidden', { provider: KIND, operation: 'share' }, { message })
  }
  const settings: sharing.SharedLinkSettings = {
    audience: { '.tag': 'public' },
    access: { '.tag': 'viewer' },
    // Dropbox takes no fractions of a second.
    ...(expiresAt && { expires: `${expiresAt.toISOString().slice(0, 19)}Z` as sharing.SharedLinkSettings['expires'] }),
  } as sharing.SharedLinkSettings
  const made = await client.ask(call, 'share', (sdk) =>
    sdk.sharingCreateSharedLinkWithSettings({ path: ref, settings }),
  )
  return linkOf(made)
}

export async function unshare(client: DropboxClient, call: Call, ref: EntryRef): Promise<void> {
  const links = await linksOf(client, call, 'unshare', ref).catch(nothingWhen('NotFound'))
  for (const { url } of links ?? []) {
    await client.ask(call, 'unshare', (sdk) => sdk.sharingRevokeSharedLink({ url }))
  }
}

/** Its own: one of a folder above opens it as well, and is not ours to end. @throws NotFound */
async function linksOf(client: DropboxClient, call: Call, operation: string, ref: EntryRef): Promise<readonly Link[]> {
  const { links } = await client.ask(call, operation, (sdk) =>
    sdk.sharingListSharedLinks({ path: ref, direct_only: true }),
  )
  return links
}

function linkOf(link: Link): ShareLink {
  return { url: link.url, expiresAt: expiryOf(link) }
}

const expiryOf = ({ expires }: Link): Date | null => (expires ? new Date(expires) : null)

const wholeSeconds = (date: Date | null): Date | null => date && new Date(Math.floor(date.getTime() / 1000) * 1000)
