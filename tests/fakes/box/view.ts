import type { Item, User } from './state.ts'

const BASE = ['type', 'id', 'etag']
/** Returned on request only. */
const EXTRA = ['permissions', 'sync_state', 'has_collaborations']

const PERMISSIONS: Readonly<Record<Item['type'], readonly string[]>> = {
  file: [
    'can_download',
    'can_preview',
    'can_upload',
    'can_comment',
    'can_annotate',
    'can_view_annotations_all',
    'can_view_annotations_self',
    'can_rename',
    'can_delete',
    'can_share',
    'can_set_share_access',
    'can_invite_collaborator',
  ],
  folder: [
    'can_download',
    'can_upload',
    'can_rename',
    'can_delete',
    'can_share',
    'can_set_share_access',
    'can_invite_collaborator',
  ],
  web_link: ['can_rename', 'can_delete', 'can_share'],
}

const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, '+00:00')

/** An item as the service returns it: only these fields, or all but the extra ones. */
export function view(user: User, item: Item, fields: readonly string[] | null): Readonly<Record<string, unknown>> {
  const full = fullView(user, item)
  if (fields === null) return Object.fromEntries(Object.entries(full).filter(([name]) => !EXTRA.includes(name)))
  const names = new Set([...BASE, ...fields])
  return Object.fromEntries(Object.entries(full).filter(([name]) => names.has(name)))
}

function fullView(user: User, item: Item): Record<string, unknown> {
  const owner = { type: 'user', id: user.id, name: user.name, login: user.email }
  const isRoot = item.parent === null
  return {
    type: item.type,
    id: item.id,
    etag: isRoot ? null : String(item.etag),
    sequence_id: isRoot ? null : String(item.etag),
    name: item.name,
    description: '',
    created_at: isRoot ? null : timeOf(item.createdAt),
    modified_at: isRoot ? null : timeOf(item.modifiedAt),
    created_by: owner,
    modified_by: owner,
    owned_by: owner,
    parent: isRoot ? null : parentView(user, item.parent ?? ''),
    path_collection: pathView(user, item),
    item_status: item.trashed ? 'trashed' : 'active',
    trashed_at: item.trashed ? timeOf(item.modifiedAt) : null,
    shared_link: linkView(user, item),
    permissions: Object.fromEntries(PERMISSIONS[item.type].map((name) => [name, !item.denied.includes(name)])),
    ...(item.type === 'web_link' && { url: 'https://example.org/' }),
    ...(item.type === 'folder' && {
      size: 0,
      folder_upload_email: null,
      item_collection: { total_count: 0, entries: [] },
    }),
    ...(item.content && {
      size: item.content.size,
      sha1: item.content.sha1,
      content_created_at: timeOf(item.createdAt),
      content_modified_at: timeOf(item.contentModifiedAt),
      file_version: { type: 'file_version', id: item.versionId, sha1: item.content.sha1 },
      extension: /\.([^.]+)$/.exec(item.name)?.[1] ?? '',
    }),
  }
}

function parentView(user: User, id: string): object | null {
  const folder = user.items.get(`folder ${id}`)
  if (!folder) return null
  const number = folder.parent === null ? null : String(folder.etag)
  return { type: 'folder', id, sequence_id: number, etag: number, name: folder.name }
}

function pathView(user: User, item: Item): object {
  const entries: object[] = []
  for (let at = item.parent; at !== null; ) {
    const folder = user.items.get(`folder ${at}`)
    if (!folder) break
    entries.unshift(parentView(user, at) ?? {})
    at = folder.parent
  }
  return { total_count: entries.length, entries }
}

function linkView(user: User, { link, type }: Item): object | null {
  if (!link) return null
  const access = user.canShareOpenly ? 'open' : 'company'
  return {
    url: link.url,
    download_url: type === 'file' ? `${link.url.replace('/s/', '/shared/static/')}` : null,
    vanity_url: null,
    vanity_name: null,
    access: 'open',
    effective_access: access,
    effective_permission: 'can_download',
    is_password_enabled: false,
    unshared_at: link.unsharedAt,
    download_count: 0,
    preview_count: 0,
    permissions: { can_download: true, can_preview: true, can_edit: false },
  }
}
