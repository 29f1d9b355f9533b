import type { Call, EntryRef, ShareLink } from '../driver.ts'
import { nothingWhen } from '../errors.ts'
import { toBase64 } from './crypto.ts'
import { failed } from './errors.ts'
import { type MegaContext, requireKey, requireNode } from './files.ts'
import { NODE } from './nodes.ts'

/**
 * Driver.share: a link that contains the key. Refuses an expiry, which only paid accounts have, and folders, whose content would have
 * to be encrypted again for the link.
 */
export async function share(
  context: MegaContext,
  call: Call,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  if (expiresAt !== null) throw failed('share', 'Forbidden', 'Public links of MEGA cannot expire.')
  await context.tree.sync(call)
  const node = requireNode(context, 'share', ref)
  if (node.t !== NODE.file) throw failed('share', 'Forbidden', 'Public links of folders are made at mega.nz.')
  const { key } = requireKey(context, 'share', node)
  const handle = await context.client.ask(call, 'share', { a: 'l', n: node.h })
  if (typeof handle !== 'string') throw failed('share', 'Transient', 'The response has no link.')
  return { url: `https://mega.nz/file/${handle}#${toBase64(key)}`, expiresAt: null }
}

/** Driver.unshare. */
export async function unshare({ client }: MegaContext, call: Call, ref: EntryRef): Promise<void> {
  await client.ask(call, 'unshare', { a: 'l', n: ref, d: 1 }).catch(nothingWhen('NotFound'))
}
