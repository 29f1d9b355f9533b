import { DriveError } from '../errors.ts'
import type { Call } from './call.ts'
import { EXPORT_FORMATS } from './export.ts'
import { parseFields, project } from './fields.ts'
import { ABOUT } from './shapes.ts'
import { viewUser } from './view.ts'

/** Who, and how much room: nothing without `fields`. Without a limit there is no `limit`. */
export async function about(call: Call): Promise<void> {
  const { user, google } = call
  const fields = call.query.get('fields')
  if (!fields) {
    const where = { location: 'fields', locationType: 'parameter' }
    throw new DriveError(400, 'required', "The 'fields' parameter is required for this method.", where)
  }
  const mask = parseFields(fields, ABOUT)
  const usage = google.store.usage(user)
  const value = {
    kind: 'drive#about',
    user: viewUser(user, user),
    storageQuota: {
      ...(user.quotaBytes !== null && { limit: String(user.quotaBytes) }),
      usage: String(usage.total),
      usageInDrive: String(usage.drive),
      usageInDriveTrash: String(usage.trash),
    },
    importFormats: { 'text/plain': ['application/vnd.google-apps.document'] },
    exportFormats: EXPORT_FORMATS,
    maxImportSizes: { 'application/vnd.google-apps.document': '10485760' },
    maxUploadSize: '5242880000000',
    appInstalled: true,
    canCreateDrives: false,
    canCreateTeamDrives: false,
    folderColorPalette: ['#ac725e', '#d06b64', '#f83a22'],
    driveThemes: [],
    teamDriveThemes: [],
  }
  await call.exchange.sendJson(200, project(value, mask))
}
