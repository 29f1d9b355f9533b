import type { sharing } from 'dropbox'
import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { nothingWhen } from '../errors.ts'
import type { DropboxClient } from './client.ts'

type Link = { readonly url: string; readonly expires?: string }

/** An existing link gets the new expiry. Plans without expiring links refuse one: Forbidden. */
export async function share(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  const until = wholeSeconds(expiresAt)
  const known = (await linksOf(client, call, 'share', ref))[0]
  if (known && expiryOf(known)?.getTime() === until?.getTime()) return linkOf(known)
  if (known) return changeExpiry(client, call, known.url, until)
  const settings: sharing.SharedLinkSettings = {
    audience: { '.tag': 'public' },
    access: { '.tag': 'viewer' },
    ...(until && { expires: textOf(until) }),
  } as sharing.SharedLinkSettings
  const made = await client.ask(call, 'share', (sdk) =>
    sdk.sharingCreateSharedLinkWithSettings({ path: ref, settings }),
  )
  return linkOf(made)
}

async function changeExpiry(client: DropboxClient, call: Call, url: string, until: Date | null): Promise<ShareLink> {
  const changes = until ? { url, settings: { expires: textOf(until) } } : { url, settings: {}, remove_expiration: true }
  return linkOf(await client.ask(call, 'share', (sdk) => sdk.sharingModifySharedLinkSettings(changes)))
}

export async function unshare(client: DropboxClient, call: Call, ref: EntryRef): Promise<void> {
  const links = await linksOf(client, call, 'unshare', ref).catch(nothingWhen('NotFound'))
  for (const { url } of links ?? []) {
    await client.ask(call, 'unshare', (sdk) => sdk.sharingRevokeSharedLink({ url }))
  }
}

/** Links of the file itself: a folder above may have one too, which must not be revoked. @throws NotFound */
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

/** Dropbox accepts no fractions of a second. */
const wholeSeconds = (date: Date | null): Date | null => date && new Date(Math.floor(date.getTime() / 1000) * 1000)

const textOf = (date: Date) => `${date.toISOString().slice(0, 19)}Z` as sharing.SharedLinkSettings['expires'] & string
