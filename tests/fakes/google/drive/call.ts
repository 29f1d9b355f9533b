import type { Exchange } from '../../core/service.ts'
import { DriveError, fileNotFound, forbidden, invalid } from '../errors.ts'
import type { Google } from '../google.ts'
import type { DriveFile, Role, SharedDrive, User } from '../model.ts'
import { DRIVE, DRIVE_FILE } from '../oauth/scopes.ts'

/** A call of Drive by someone who may make it. */
export type Call = {
  readonly exchange: Exchange
  readonly google: Google
  readonly user: User
  readonly clientId: string
  readonly query: URLSearchParams
  /** The scope shows no files but those of the app. */
  readonly ownFilesOnly: boolean
}

export const isOwnFilesOnly = (scopes: readonly string[]): boolean =>
  scopes.includes(DRIVE_FILE) && !scopes.includes(DRIVE)

export function isVisible({ google, user, clientId, ownFilesOnly }: Call, file: DriveFile): boolean {
  if (ownFilesOnly && file.createdBy !== clientId) return false
  return google.store.roleOf(user, file) !== null
}

/** The file a call is about: what the caller may not see is not found. */
export function fileOf(call: Call, id: string): DriveFile {
  const file = call.google.store.file(id === 'root' ? call.user.rootId : id)
  if (!file || (call.ownFilesOnly && file.id === call.user.rootId)) throw fileNotFound(id === 'root' ? '.' : id)
  // Old clients do not know that there are shared drives.
  if (call.google.store.driveOf(file) && !knowsDrives(call)) throw fileNotFound(id)
  const isPublic = file.permissions.some(({ type }) => type === 'anyone') && !call.ownFilesOnly
  if (!isPublic && !isVisible(call, file)) throw fileNotFound(id)
  return file
}

/** rclone downloads without saying so, which Drive accepts. */
const knowsDrives = ({ query }: Pick<Call, 'query'>): boolean =>
  query.get('alt') === 'media' || ['supportsAllDrives', 'supportsTeamDrives'].some((name) => query.get(name) === 'true')

/** The shared drive that a call names; null: it names none. What the caller is no member of is not found. */
export function driveOf({ google, user, query }: Call, id = query.get('driveId')): SharedDrive | null {
  if (id === null) return null
  const drive = google.store.drives.get(id)
  if (drive?.members.has(user.email)) return drive
  throw new DriveError(404, 'notFound', `Shared drive not found: ${id}`, {
    location: 'driveId',
    locationType: 'parameter',
  })
}

/** The same, when it is to be changed. */
export function writableFile(call: Call, id: string, roles: readonly Role[] = ['owner', 'writer']): DriveFile {
  const file = call.google.store.file(id === 'root' ? call.user.rootId : id)
  if (file && call.ownFilesOnly && file.createdBy !== call.clientId && call.google.store.roleOf(call.user, file)) {
    throw forbidden(
      'appNotAuthorizedToFile',
      `The user has not granted the app ${call.clientId} write access to the file ${id}.`,
    )
  }
  const found = fileOf(call, id)
  const role = call.google.store.roleOf(call.user, found)
  if (role && roles.includes(role)) return found
  throw forbidden('insufficientFilePermissions', 'The user does not have sufficient permissions for this file.')
}

export async function readJson(call: Call): Promise<Readonly<Record<string, unknown>>> {
  return parseJson((await call.exchange.readBody()).toString())
}

export function parseJson(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  try {
    // Google's client for Go sends `null` where there is nothing to say.
    const value: unknown = JSON.parse(text) ?? {}
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Not JSON: told below.
  }
  throw new DriveError(400, 'parseError', 'Parse Error')
}

/** A whole number of the query within its bounds. */
export function numberOf(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name)
  if (text === null) return usual
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw invalid(name, `Invalid value '${text}'. Values must be within the range: [1, ${most}]`, 'invalidParameter')
  }
  return value
}
