import type { Exchange } from '../core/service.ts'
import type { FileEntry, SharedLink, User } from './model.ts'
import { page } from './oauth/page.ts'
import { nameOf } from './paths.ts'
import { sendFile } from './routes/download.ts'
import { CONTENT_HOST, linkKeyOf } from './routes/sharing.ts'
import type { State } from './state.ts'
import { findById } from './tree.ts'

type Found = { readonly user: User; readonly link: SharedLink; readonly file: FileEntry | null }

/** A shared link, opened by anybody: a page, or the file itself with `dl=1` or `raw=1`. */
export async function openSharedLink(state: State, exchange: Exchange): Promise<void> {
  await exchange.begin('shared_link')
  const found = findShared(state, linkKeyOf(exchange.url.pathname))
  if (!found) return gone(exchange, 404)
  const direct = exchange.url.searchParams.get('dl') === '1' || exchange.url.searchParams.get('raw') === '1'
  if (direct && found.file) {
    const location = `https://${CONTENT_HOST}/cd/0/inline/${found.link.key}/file`
    return exchange.send(302, { location })
  }
  const name = found.file ? nameOf(found.file.path) : 'Folder'
  await exchange.send(200, { 'content-type': 'text/html; charset=utf-8' }, page(name, ''))
}

/** The content behind a shared link or a temporary one. */
export async function openContent(state: State, exchange: Exchange): Promise<void> {
  await exchange.begin('content_link')
  const [, kind, key = ''] = /^\/cd\/0\/(get|inline)\/([^/]+)\/file$/.exec(exchange.url.pathname) ?? []
  const found = kind === 'get' ? findTemporary(state, key) : kind ? findShared(state, key) : null
  if (!found?.file) return gone(exchange, kind === 'get' ? 410 : 404)
  await sendFile(exchange, found.user, found.file, {})
}

function findShared(state: State, key: string | null): Found | null {
  for (const user of state.users.values()) {
    const link = key === null ? undefined : user.links.get(key)
    const entry = link && findById(user, link.entryId)
    const open = link?.audience === 'public' && (link.expires === null || Date.parse(link.expires) > state.now())
    if (link && entry && open) return { user, link, file: entry.kind === 'file' ? entry : null }
  }
  return null
}

function findTemporary(state: State, key: string): Pick<Found, 'user' | 'file'> | null {
  const link = state.temporaryLinks.get(key)
  const entry = link && link.expiresAt > state.now() ? findById(link.user, link.entryId) : undefined
  return link && entry?.kind === 'file' ? { user: link.user, file: entry } : null
}

function gone(exchange: Exchange, status: number): Promise<void> {
  return exchange.send(status, { 'content-type': 'text/html; charset=utf-8' }, page('This item was deleted', ''))
}
