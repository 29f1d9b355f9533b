import type { Algorithm } from '../content.ts'
import { type DriveFile, FOLDER, isDocument, type Permission, type Role, SHORTCUT, type User } from '../model.ts'
import { photoOf } from '../oauth/identity.ts'
import type { Call } from './call.ts'
import { EXPORT_FORMATS } from './export.ts'
import { type Mask, wants } from './fields.ts'
import { thumbnailFields } from './thumbnail.ts'

const ALGORITHMS: readonly Algorithm[] = ['md5', 'sha1', 'sha256']

export const viewUser = (user: User, me: User): object => ({
  kind: 'drive#user',
  displayName: user.name,
  photoLink: photoOf(user),
  me: user === me,
  permissionId: user.permissionId,
  emailAddress: user.email,
})

export const viewPermission = (permission: Permission): object => ({
  kind: 'drive#permission',
  ...permission,
  ...(permission.type === 'user' && { deleted: false, pendingOwner: false }),
})

/** The whole resource; checksums only when asked for, as they are made of the bytes. */
export async function viewFile(call: Call, file: DriveFile, mask: Mask): Promise<object> {
  const { store } = call.google
  const isMine = file.owner === call.user
  const trashed = store.isTrashed(file)
  const drive = store.driveOf(file)
  const owner = viewUser(file.owner, call.user)
  return {
    kind: 'drive#file',
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    ...(file.description !== undefined && { description: file.description }),
    starred: file.starred,
    trashed,
    explicitlyTrashed: file.trashed,
    ...(file.trashedTime !== null && { trashedTime: iso(file.trashedTime) }),
    ...visibleParents(call, file),
    ...(wants(mask, 'properties') && hasSome(file.properties) && { properties: file.properties }),
    ...(file.createdBy === call.clientId && hasSome(file.appProperties) && { appProperties: file.appProperties }),
    spaces: ['drive'],
    version: String(file.version),
    ...links(file),
    createdTime: iso(file.createdTime),
    modifiedTime: iso(file.modifiedTime),
    modifiedByMe: isMine,
    ...(isMine && { modifiedByMeTime: iso(file.modifiedTime) }),
    viewedByMe: isMine,
    ...(drive ? { driveId: drive.id, teamDriveId: drive.id } : { owners: [owner], ownedByMe: isMine }),
    lastModifyingUser: owner,
    shared: file.permissions.length > 1,
    ...sharedWithMe(call, file),
    viewersCanCopyContent: true,
    copyRequiresWriterPermission: file.copyRequiresWriterPermission,
    writersCanShare: true,
    ...(isMine && {
      permissions: file.permissions.map(viewPermission),
      permissionIds: file.permissions.map(({ id }) => id),
    }),
    ...(file.folderColorRgb && { folderColorRgb: file.folderColorRgb }),
    quotaBytesUsed: String(file.content?.size ?? 0),
    isAppAuthorized: file.createdBy === call.clientId,
    capabilities: capabilities(file, store.roleOf(call.user, file)),
    ...thumbnailFields(file),
    ...(wants(mask, 'exportLinks') && exportLinks(file)),
    ...shortcut(call, file),
    ...(await content(file, mask)),
  }
}

/** Only of what is shared with the user by itself. */
function sharedWithMe({ google, user }: Call, file: DriveFile): object {
  const isDirect = file.permissions.some(({ emailAddress }) => emailAddress === user.email)
  const isShared = file.owner !== user && isDirect && !google.store.driveOf(file)
  return isShared ? { sharedWithMeTime: iso(file.createdTime) } : {}
}

const hasSome = (record: object): boolean => Object.keys(record).length > 0
export const iso = (time: number): string => new Date(time).toISOString()

const EDITORS: Readonly<Record<string, string>> = {
  'application/vnd.google-apps.document': 'document',
  'application/vnd.google-apps.spreadsheet': 'spreadsheets',
  'application/vnd.google-apps.presentation': 'presentation',
  'application/vnd.google-apps.drawing': 'drawings',
}

/** A folder that the user may not see is not named. */
function visibleParents({ google, user }: Call, { parents }: DriveFile): object {
  const visible = parents.filter((id) => {
    const folder = google.store.file(id)
    return folder !== undefined && google.store.roleOf(user, folder) !== null
  })
  return visible.length > 0 ? { parents: visible } : {}
}

function links(file: DriveFile): object {
  if (file.mimeType === FOLDER) return { webViewLink: `https://drive.google.com/drive/folders/${file.id}` }
  const editor = EDITORS[file.mimeType]
  if (editor) return { webViewLink: `https://docs.google.com/${editor}/d/${file.id}/edit?usp=drivesdk` }
  return {
    webViewLink: `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`,
    ...(file.content && { webContentLink: `https://drive.google.com/uc?id=${file.id}&export=download` }),
  }
}

function exportLinks({ id, mimeType }: DriveFile): object {
  const types = EXPORT_FORMATS[mimeType]
  if (!types) return {}
  const link = (type: string) =>
    `https://docs.google.com/feeds/download/documents/export/Export?id=${id}&exportFormat=${encodeURIComponent(type)}`
  return { exportLinks: Object.fromEntries(types.map((type) => [type, link(type)])) }
}

async function content(file: DriveFile, mask: Mask): Promise<object> {
  const bytes = file.content
  // Documents have a size that is not that of any download.
  if (!bytes) return isDocument(file) ? { size: '1024' } : {}
  const name = file.originalFilename ?? file.name
  const extension = /\.([^.]+)$/.exec(name)?.[1] ?? ''
  const plain = {
    size: String(bytes.size),
    headRevisionId: file.headRevisionId,
    originalFilename: name,
    fullFileExtension: extension,
    fileExtension: extension,
  }
  const asked = ALGORITHMS.filter((algorithm) => wants(mask, `${algorithm}Checksum`))
  const digests = asked.map(async (algorithm) => [`${algorithm}Checksum`, await bytes.digest(algorithm)])
  return { ...plain, ...Object.fromEntries(await Promise.all(digests)) }
}

function shortcut({ google }: Call, file: DriveFile): object {
  if (file.mimeType !== SHORTCUT) return {}
  const target = google.store.file(file.shortcutTargetId ?? '')
  return { shortcutDetails: { targetId: file.shortcutTargetId, ...(target && { targetMimeType: target.mimeType }) } }
}

/** What a user with this role may do; null: a user who has only the link. */
function capabilities(file: DriveFile, role: Role | null): object {
  const isFolder = file.mimeType === FOLDER
  const canWrite = role === 'owner' || role === 'writer'
  const canCopy = !isFolder && (canWrite || !file.copyRequiresWriterPermission)
  const isRoot = file.id === file.owner.rootId
  return {
    canAddChildren: isFolder && canWrite,
    canListChildren: isFolder,
    canCopy,
    canDelete: role === 'owner' && !isRoot,
    canDownload: canCopy,
    canEdit: canWrite,
    canMoveItemWithinDrive: canWrite && !isRoot,
    canRename: canWrite && !isRoot,
    canShare: canWrite && !isRoot,
    canTrash: role === 'owner' && !isRoot,
    canUntrash: role === 'owner' && !isRoot,
  }
}
