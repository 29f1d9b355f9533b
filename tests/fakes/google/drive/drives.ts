import type { SharedDrive } from '../model.ts'
import { type Call, driveOf, numberOf } from './call.ts'
import { parseFields, project } from './fields.ts'
import { SHARED_DRIVE, SHARED_DRIVE_LIST } from './shapes.ts'
import { iso } from './view.ts'

/** The shared drives that the user is a member of. The page token is the number of those before. */
export async function listDrives(call: Call): Promise<void> {
  const { query, google, user } = call
  const mask = parseFields(query.get('fields') || 'kind,nextPageToken,drives(kind,id,name)', SHARED_DRIVE_LIST)
  const size = numberOf(query, 'pageSize', 10, 100)
  const from = Number(query.get('pageToken') ?? 0)
  const mine = [...google.store.drives.values()].filter(({ members }) => members.has(user.email))
  const to = from + size
  const value = {
    kind: 'drive#driveList',
    ...(mine.length > to && { nextPageToken: String(to) }),
    drives: mine.slice(from, to).map((drive) => viewDrive(call, drive)),
  }
  await call.exchange.sendJson(200, project(value, mask))
}

export async function getDrive(call: Call, id: string): Promise<void> {
  const mask = parseFields(call.query.get('fields') || 'kind,id,name', SHARED_DRIVE)
  const drive = driveOf(call, id)
  if (drive) await call.exchange.sendJson(200, project(viewDrive(call, drive), mask))
}

function viewDrive({ user }: Call, { id, name, createdTime, members }: SharedDrive): object {
  const role = members.get(user.email)
  const canWrite = role === 'owner' || role === 'writer'
  return {
    kind: 'drive#drive',
    id,
    name,
    createdTime: iso(createdTime),
    hidden: false,
    capabilities: { canListChildren: true, canAddChildren: canWrite, canRenameDrive: role === 'owner' },
  }
}
