import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { ARGS, type LinkSettings } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import { badInput, refused } from '../errors.ts'
import { inPath, lookUp, lookUpDownloadable, meantBy } from '../lookup.ts'
import { fileMetadata } from '../metadata.ts'
import type { Entry, SharedLink, User } from '../model.ts'
import { fold, isInside, nameOf } from '../paths.ts'
import { flattened, holding, type Tagged, tag } from '../tags.ts'
import { findById } from '../tree.ts'

const TEMPORARY_LINK_LIFE_MS = 4 * 3600 * 1000
/** The service makes a host name for each; this one stands for all. */
export const CONTENT_HOST = 'uc0.dl.dropboxusercontent.com'

export const SHARING_ROUTES: Readonly<Record<string, Route>> = {
  'sharing/create_shared_link_with_settings': route('rpc', 'sharing.write', ARGS.createLink, createLink),
  'sharing/list_shared_links': route('rpc', 'sharing.read', ARGS.listLinks, listLinks),
  'sharing/modify_shared_link_settings': route('rpc', 'sharing.write', ARGS.modifyLink, modifyLink),
  'sharing/revoke_shared_link': route('rpc', 'sharing.write', ARGS.url, revokeLink),
  'files/get_temporary_link': route('rpc', 'files.content.read', ARGS.path, temporaryLink),
}

function createLink(call: Call, { path, settings }: z.output<typeof ARGS.createLink>): Tagged {
  const { user, exchange } = call
  if (!user.emailVerified) throw refused(tag('email_not_verified'))
  const entry = lookUp(user, path)
  if (exchange.take('policy')) throw refused(tag('access_denied'))
  checkSettings(call, settings ?? null)
  const existing = [...user.links.values()].find((link) => link.entryId === entry.id)
  if (existing) throw alreadyShared(user, existing, settings ?? null)
  const link = newLink(entry, settings ?? null)
  user.links.set(link.key, link)
  return linkMetadata(user, link, entry)
}

function checkSettings({ user, state }: Call, settings: LinkSettings | null): void {
  const password = settings?.require_password || settings?.requested_visibility === 'password'
  const past = settings?.expires && Date.parse(settings.expires) <= state.now()
  if (past || (password && !settings?.link_password)) throw refused(tag('settings_error', 'invalid_settings'))
  if ((settings?.expires || password) && !user.canSetExpiry) throw refused(tag('settings_error', 'not_authorized'))
}

/** The link itself is told only where it is what was asked for. */
function alreadyShared(user: User, link: SharedLink, settings: LinkSettings | null): Error {
  const entry = findById(user, link.entryId)
  const compatible = !settings?.expires && (settings?.audience ?? 'public') === link.audience
  if (!compatible || !entry) return refused(tag('shared_link_already_exists'))
  const metadata = holding('metadata', linkMetadata(user, link, entry))
  return refused(holding('shared_link_already_exists', metadata))
}

function newLink(entry: Entry, settings: LinkSettings | null): SharedLink {
  const key = randomBytes(11).toString('base64url').toLowerCase()
  const kind = entry.kind === 'file' ? 'fi' : 'fo'
  const name = encodeURIComponent(nameOf(entry.path))
  return {
    key,
    url: `https://www.dropbox.com/scl/${kind}/${key}/${name}?rlkey=${randomBytes(12).toString('hex')}&dl=0`,
    entryId: entry.id,
    audience: settings?.audience ?? 'public',
    expires: settings?.expires ?? null,
  }
}

function linkMetadata(user: User, link: SharedLink, entry: Entry): Tagged {
  const version = entry.kind === 'file' ? versionOf(entry) : {}
  return flattened(entry.kind, {
    url: link.url,
    id: entry.id,
    name: nameOf(entry.path),
    ...(link.expires !== null && { expires: link.expires }),
    path_lower: fold(entry.path),
    link_permissions: permissionsOf(user, link),
    ...version,
  })
}

function versionOf(file: Extract<Entry, { kind: 'file' }>): object {
  const { clientModified, serverModified, rev } = file
  return { client_modified: clientModified, server_modified: serverModified, rev, size: file.content.bytes.size }
}

function permissionsOf(user: User, link: SharedLink): object {
  return {
    resolved_visibility: tag(link.audience === 'public' ? 'public' : 'only_you'),
    requested_visibility: tag('public'),
    can_revoke: true,
    effective_audience: tag(link.audience),
    link_access_level: tag('viewer'),
    visibility_policies: [{ policy: tag('public'), resolved_policy: tag('public'), allowed: true }],
    can_set_expiry: user.canSetExpiry,
    can_remove_expiry: user.canSetExpiry,
    allow_download: true,
    can_allow_download: true,
    can_disallow_download: user.canSetExpiry,
    allow_comments: true,
    team_restricts_comments: false,
    can_set_password: user.canSetExpiry,
    can_remove_password: user.canSetExpiry,
    require_password: false,
    can_use_extended_sharing_controls: user.canSetExpiry,
  }
}

/** Without a path: all; with one: those that open it, through a folder above it too unless told not to. */
function listLinks({ user, operation }: Call, args: z.output<typeof ARGS.listLinks>): object {
  if (args.cursor) throw badInput(operation, 'request body: cursor: Invalid cursor')
  const asked = args.path ? lookUp(user, args.path) : null
  const links = [...user.links.values()].flatMap((link) => {
    const entry = findById(user, link.entryId)
    return entry && (!asked || opens(entry, asked, args.direct_only ?? false)) ? linkMetadata(user, link, entry) : []
  })
  return { links, has_more: false }
}

function opens(shared: Entry, asked: Entry, directOnly: boolean): boolean {
  return shared.id === asked.id || (!directOnly && isInside(fold(asked.path), fold(shared.path)))
}

function modifyLink(call: Call, { url, settings, remove_expiration }: z.output<typeof ARGS.modifyLink>): Tagged {
  const { user } = call
  if (!user.emailVerified) throw refused(tag('email_not_verified'))
  const link = user.links.get(linkKeyOf(url) ?? '')
  const entry = link && findById(user, link.entryId)
  if (!link || !entry) throw refused(tag('shared_link_not_found'))
  checkSettings(call, settings)
  if (remove_expiration && settings.expires) throw refused(tag('settings_error', 'invalid_settings'))
  if (remove_expiration && !user.canSetExpiry) throw refused(tag('settings_error', 'not_authorized'))
  const expires = remove_expiration ? null : (settings.expires ?? link.expires)
  const changed = { ...link, expires, audience: settings.audience ?? link.audience }
  user.links.set(link.key, changed)
  return linkMetadata(user, changed, entry)
}

function revokeLink({ user }: Call, { url }: z.output<typeof ARGS.url>): null {
  const key = linkKeyOf(url)
  if (key === null) throw refused(tag('shared_link_malformed'))
  if (!user.links.delete(key)) throw refused(tag('shared_link_not_found'))
  return null
}

/** The changing part of a shared link's address; null when it is none. */
export function linkKeyOf(url: string): string | null {
  return /^(?:https:\/\/www\.dropbox\.com)?\/scl\/f[io]\/([^/?]+)/.exec(url)?.[1] ?? null
}

function temporaryLink({ state, user }: Call, { path }: z.output<typeof ARGS.path>): object {
  if (!user.emailVerified) throw refused(tag('email_not_verified'))
  if (meantBy(user, path) === '') throw refused(inPath(tag('not_file')))
  const file = lookUpDownloadable(user, path)
  const key = randomBytes(40).toString('base64url')
  state.temporaryLinks.set(key, { user, entryId: file.id, expiresAt: state.now() + TEMPORARY_LINK_LIFE_MS })
  return { metadata: fileMetadata(file), link: `https://${CONTENT_HOST}/cd/0/get/${key}/file` }
}
