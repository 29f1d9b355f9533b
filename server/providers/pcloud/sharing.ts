import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { KIND, type PcloudClient } from './client.ts'
import { idIn, isFolder, type Metadata } from './entry.ts'

type PublicLink = {
  readonly linkid: string
  readonly link: string
  readonly expires?: string
  readonly metadata?: Metadata
}

/** Driver.share. An existing link gets the new expiry. Plans without expiring links refuse one: Forbidden. */
export async function share(
  client: PcloudClient,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  const until = expiresAt && new Date(Math.floor(expiresAt.getTime() / 1000) * 1000)
  const expire = until ? String(until.getTime() / 1000) : undefined
  const [known] = await linksOf(client, call, 'share', ref)
  if (!known) {
    const method = isFolder(ref) ? 'getfolderpublink' : 'getfilepublink'
    const { link } = await client.ask<PublicLink>(call, 'share', method, { ...idIn(ref, 'share'), expire })
    return linkOf(link, until)
  }
  if (expiryOf(known)?.getTime() !== until?.getTime()) {
    const change = expire === undefined ? { deleteexpire: 1 } : { expire }
    await client.ask(call, 'share', 'changepublink', { linkid: known.linkid, ...change })
  }
  return linkOf(known.link, until)
}

export async function unshare(client: PcloudClient, call: Call, ref: EntryRef): Promise<void> {
  for (const { linkid } of await linksOf(client, call, 'unshare', ref)) {
    await client.ask(call, 'unshare', 'deletepublink', { linkid })
  }
}

/** Of the entry itself; those of deleted entries end with them. */
async function linksOf(client: PcloudClient, call: Call, operation: string, ref: EntryRef): Promise<PublicLink[]> {
  const { publinks } = await client.ask<{ publinks?: PublicLink[] }>(call, operation, 'listpublinks')
  return (publinks ?? []).filter(({ metadata }) => metadata?.id === ref && metadata.isdeleted !== true)
}

function linkOf(url: string, expiresAt: Date | null): ShareLink {
  if (/^https:\/\/([\w-]+\.)*pcloud\.(com|link)\//.test(url)) return { url, expiresAt }
  throw new ProviderError('Transient', { provider: KIND, operation: 'share' }, { message: 'pCloud names no address.' })
}

const expiryOf = ({ expires }: PublicLink): Date | null => (expires ? new Date(expires) : null)
