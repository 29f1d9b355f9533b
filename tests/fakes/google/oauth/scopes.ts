const PREFIX = 'https://www.googleapis.com/auth/'

const LONG: Readonly<Record<string, string>> = {
  profile: `${PREFIX}userinfo.profile`,
  email: `${PREFIX}userinfo.email`,
}

const DRIVE_SCOPES: Readonly<Record<string, string>> = {
  [`${PREFIX}drive`]: 'See, edit, create and delete all of your Google Drive files',
  [`${PREFIX}drive.file`]:
    'See, edit, create and delete only the specific Google Drive files that you use with this app',
  [`${PREFIX}drive.readonly`]: 'See and download all your Google Drive files',
  [`${PREFIX}drive.metadata.readonly`]: 'See information about your Google Drive files',
  [`${PREFIX}drive.appdata`]: 'See, create and delete its own configuration data in your Google Drive',
}

const PHOTOS_SCOPES: Readonly<Record<string, string>> = {
  [`${PREFIX}photoslibrary.appendonly`]: 'Add to your Google Photos library',
  [`${PREFIX}photoslibrary.readonly.appcreateddata`]: 'See the photos and albums that this app has added',
  [`${PREFIX}photoslibrary.edit.appcreateddata`]: 'Edit the photos and albums that this app has added',
}
const ASKED = { ...DRIVE_SCOPES, ...PHOTOS_SCOPES }

const IDENTITY = ['openid', `${PREFIX}userinfo.profile`, `${PREFIX}userinfo.email`]

export const DRIVE = `${PREFIX}drive`
export const DRIVE_FILE = `${PREFIX}drive.file`
export const WRITE_SCOPES: readonly string[] = [DRIVE, DRIVE_FILE]
export const READ_SCOPES: readonly string[] = [...WRITE_SCOPES, `${PREFIX}drive.readonly`]
export const METADATA_SCOPES: readonly string[] = [...READ_SCOPES, `${PREFIX}drive.metadata.readonly`]

/** Full names, once each; null when one is unknown. */
export function expandScopes(text: string): readonly string[] | null {
  const all = [
    ...new Set(
      text
        .split(/\s+/)
        .filter(Boolean)
        .map((scope) => LONG[scope] ?? scope),
    ),
  ]
  return all.every((scope) => IDENTITY.includes(scope) || scope in ASKED) ? all : null
}

/** What the user is asked about each: identity comes with signing in and is not asked. */
export function askedOf(scopes: readonly string[]): readonly { readonly scope: string; readonly text: string }[] {
  return scopes.flatMap((scope) => (scope in ASKED ? [{ scope, text: ASKED[scope] ?? '' }] : []))
}

export const isIdentity = (scope: string): boolean => IDENTITY.includes(scope)
