import type { Shape } from './fields.ts'

const names = (text: string): Shape =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((name) => [name, true as const]),
  )

const USER = names('kind displayName photoLink me permissionId emailAddress')

export const PERMISSION: Shape = {
  ...names(`kind id type emailAddress domain role view allowFileDiscovery displayName photoLink expirationTime deleted
    pendingOwner inheritedPermissionsDisabled`),
  permissionDetails: 'any',
  teamDrivePermissionDetails: 'any',
}

export const FILE: Shape = {
  ...names(`kind id name mimeType description starred trashed explicitlyTrashed trashedTime parents spaces version
    webContentLink webViewLink iconLink hasThumbnail thumbnailLink thumbnailVersion viewedByMe viewedByMeTime createdTime
    modifiedTime modifiedByMeTime modifiedByMe sharedWithMeTime teamDriveId driveId shared ownedByMe
    viewersCanCopyContent copyRequiresWriterPermission writersCanShare permissionIds hasAugmentedPermissions
    folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size
    quotaBytesUsed headRevisionId isAppAuthorized resourceKey inheritedPermissionsDisabled`),
  properties: 'any',
  appProperties: 'any',
  capabilities: 'any',
  exportLinks: 'any',
  contentHints: 'any',
  imageMediaMetadata: 'any',
  videoMediaMetadata: 'any',
  contentRestrictions: 'any',
  downloadRestrictions: 'any',
  linkShareMetadata: 'any',
  labelInfo: 'any',
  shortcutDetails: names('targetId targetMimeType targetResourceKey'),
  owners: USER,
  trashingUser: USER,
  sharingUser: USER,
  lastModifyingUser: USER,
  permissions: PERMISSION,
}

export const FILE_LIST: Shape = { ...names('kind nextPageToken incompleteSearch'), files: FILE }
export const PERMISSION_LIST: Shape = { ...names('kind nextPageToken'), permissions: PERMISSION }
export const CHANGE_LIST: Shape = {
  ...names('kind nextPageToken newStartPageToken'),
  changes: {
    ...names('kind type changeType time removed fileId teamDriveId driveId'),
    file: FILE,
    drive: 'any',
    teamDrive: 'any',
  },
}
export const ABOUT: Shape = {
  ...names('kind maxUploadSize appInstalled folderColorPalette canCreateDrives canCreateTeamDrives'),
  user: USER,
  storageQuota: names('limit usage usageInDrive usageInDriveTrash'),
  importFormats: 'any',
  exportFormats: 'any',
  maxImportSizes: 'any',
  driveThemes: 'any',
  teamDriveThemes: 'any',
}
export const SHARED_DRIVE: Shape = {
  ...names('kind id name createdTime hidden themeId colorRgb orgUnitId backgroundImageLink'),
  backgroundImageFile: 'any',
  capabilities: 'any',
  restrictions: 'any',
}
export const SHARED_DRIVE_LIST: Shape = { ...names('kind nextPageToken'), drives: SHARED_DRIVE }
