import { DriveError, invalid } from '../errors.ts'
import type { Change, User } from '../model.ts'
import { type Call, driveOf, isVisible, numberOf } from './call.ts'
import { type Mask, maskOf, parseFields, project } from './fields.ts'
import { CHANGE_LIST } from './shapes.ts'
import { iso, viewFile } from './view.ts'

const DEFAULT_FIELDS =
  'kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))'

/** Page tokens count the changes there were, from a number that tells them from anything else. */
const FIRST = 101

export async function startPageToken(call: Call): Promise<void> {
  await call.exchange.sendJson(200, {
    kind: 'drive#startPageToken',
    startPageToken: String(FIRST + feedOf(call).changes.length),
  })
}

/** Each shared drive has a feed of its own, whose numbers mean nothing elsewhere. */
function feedOf(call: Call): User {
  return driveOf(call)?.owner ?? call.user
}

export async function listChanges(call: Call): Promise<void> {
  const { query } = call
  const user = feedOf(call)
  const mask = parseFields(query.get('fields') || DEFAULT_FIELDS, CHANGE_LIST)
  const size = numberOf(query, 'pageSize', 100, 1000)
  const start = startOf(call, user)
  const end = Math.min(start + size, user.changes.length)
  // A file that changes again later is told of there alone.
  const rest = user.changes.slice(start)
  const last = new Map(rest.map(({ fileId }, index) => [fileId, index]))
  const page = rest.slice(0, size).filter(({ fileId }, index) => last.get(fileId) === index)
  const told = await Promise.all(
    page.map((change) => viewChange(call, change, maskOf(maskOf(mask, 'changes'), 'file'))),
  )
  const withoutRemoved = query.get('includeRemoved') === 'false'
  const value = {
    kind: 'drive#changeList',
    ...(end < user.changes.length
      ? { nextPageToken: String(FIRST + end) }
      : { newStartPageToken: String(FIRST + end) }),
    changes: told.filter((change) => change !== null && !(withoutRemoved && change.removed)),
  }
  await call.exchange.sendJson(200, project(value, mask))
}

function startOf({ query }: Call, user: User): number {
  const token = query.get('pageToken')
  if (token === null) {
    const where = { location: 'pageToken', locationType: 'parameter' }
    throw new DriveError(400, 'required', 'Required parameter: pageToken', where)
  }
  const start = Number(token) - FIRST
  if (!/^\d+$/.test(token) || start < user.changesFrom || start > user.changes.length) throw invalid('pageToken')
  return start
}

/** null = of a file the app may not see. A file that is not shared with the user any more is removed. */
async function viewChange(call: Call, change: Change, mask: Mask): Promise<{ readonly removed: boolean } | null> {
  const time = iso(change.time)
  if (change.drive) {
    const [type, driveId] = ['drive', change.fileId]
    return { kind: 'drive#change', type, changeType: type, time, removed: false, driveId } as {
      readonly removed: boolean
    }
  }
  const file = call.google.store.file(change.fileId)
  const isLost = file !== undefined && call.google.store.roleOf(call.user, file) === null
  const removed = change.removed || !file || isLost
  if (file && !isLost && !isVisible(call, file)) return null
  if (file && call.query.get('restrictToMyDrive') === 'true' && file.owner !== call.user) return null
  return {
    kind: 'drive#change',
    type: 'file',
    changeType: 'file',
    time,
    removed,
    fileId: change.fileId,
    ...(!removed && { file: await viewFile(call, file, mask) }),
  } as { readonly removed: boolean }
}
