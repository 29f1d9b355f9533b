import type { Content } from '../content.ts'
import { DriveError, fileNotFound, forbidden, invalid } from '../errors.ts'
import { type DriveFile, FOLDER, type Properties, SHORTCUT } from '../model.ts'
import { newRevisionId } from '../records.ts'
import { type Call, writableFile } from './call.ts'

/** What a client says of a file: read from JSON, so nothing is sure. */
export type Metadata = Readonly<Record<string, unknown>>

const text = (metadata: Metadata, name: string): string | undefined => {
  const value = metadata[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(name)
  return value
}

function timeOf(metadata: Metadata, name: string): number | undefined {
  const value = text(metadata, name)
  if (value === undefined) return undefined
  const time = Date.parse(value)
  if (Number.isNaN(time)) throw invalid(name, `Invalid value for: Invalid format: "${value}"`)
  return time
}

/** Of `properties` and `appProperties`: 124 bytes of key and value, null takes a key away. */
function properties(metadata: Metadata, name: string, before: Properties = {}): Properties {
  const given = metadata[name]
  if (given === undefined || given === null) return before
  if (typeof given !== 'object') throw invalid(name)
  const all: Record<string, string> = { ...before }
  for (const [key, value] of Object.entries(given)) {
    if (value === null) delete all[key]
    else all[key] = String(value)
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(String(value ?? ''))
    if (bytes > 124)
      throw new DriveError(403, 'propertyKeyOrValueTooLong', 'A property is limited to 124 bytes of key and value.')
  }
  return all
}

/** Throws before anything is stored when a file of this metadata cannot be made. */
export function checkNew(call: Call, metadata: Metadata): void {
  const { store } = call.google
  const id = text(metadata, 'id')
  if (id !== undefined && store.file(id)) {
    throw new DriveError(409, 'fileIdInUse', 'A file already exists with the provided ID.', {
      location: 'file.id',
      locationType: 'other',
    })
  }
  if (id !== undefined && !store.wasGiven(id))
    throw invalid('file.id', 'The provided file ID is not usable.', 'invalid')
  for (const parent of parentsOf(call, metadata)) {
    const folder = parent === call.user.rootId ? store.file(parent) : writableFile(call, parent)
    if (!folder) throw fileNotFound(parent)
    if (folder.mimeType !== FOLDER) throw forbidden('parentNotAFolder', 'The specified parent is not a folder.')
  }
}

function parentsOf(call: Call, metadata: Metadata): string[] {
  const given = metadata.parents ?? ['root']
  if (!Array.isArray(given)) throw invalid('parents')
  if (given.length > 1) throw forbidden('multiParentsNotAllowed', 'A file cannot be created with more than one parent.')
  const named = given.length === 0 ? ['root'] : given.map(String)
  return named.map((id) => (id === 'root' ? call.user.rootId : id))
}

/** The file of this metadata; `type` is the kind of its content where the metadata says none. */
export function createFile(call: Call, metadata: Metadata, content: Content | null, type?: string): DriveFile {
  checkNew(call, metadata)
  const id = text(metadata, 'id')
  const description = text(metadata, 'description')
  const folderColorRgb = text(metadata, 'folderColorRgb')
  const createdTime = timeOf(metadata, 'createdTime')
  const modifiedTime = timeOf(metadata, 'modifiedTime')
  const mimeType = text(metadata, 'mimeType') || type || 'application/octet-stream'
  return call.google.store.create(call.user, {
    ...(id && { id }),
    name: text(metadata, 'name') ?? 'Untitled',
    mimeType,
    parents: parentsOf(call, metadata),
    content,
    createdBy: call.clientId,
    ...(createdTime !== undefined && { createdTime }),
    ...(modifiedTime !== undefined && { modifiedTime }),
    ...(description !== undefined && { description }),
    ...(folderColorRgb !== undefined && { folderColorRgb }),
    starred: metadata.starred === true,
    properties: properties(metadata, 'properties'),
    appProperties: properties(metadata, 'appProperties'),
    ...(mimeType === SHORTCUT && { shortcutTargetId: shortcutTarget(metadata) }),
  })
}

function shortcutTarget({ shortcutDetails }: Metadata): string {
  const target = typeof shortcutDetails === 'object' && shortcutDetails !== null && 'targetId' in shortcutDetails
  if (!target) throw invalid('shortcutDetails.targetId')
  return String((shortcutDetails as { targetId: unknown }).targetId)
}

/** Bytes of its own, or none for what only names something. */
export const hasContent = (metadata: Metadata): boolean =>
  !String(metadata.mimeType ?? '').startsWith('application/vnd.google-apps.')

const NOT_WRITABLE = ['parents', 'id', 'size', 'md5Checksum', 'version', 'webViewLink', 'shared', 'ownedByMe', 'kind']

/** Applies a PATCH, the parents of its query included. All of it or nothing. */
export function updateMetadata(call: Call, file: DriveFile, metadata: Metadata): void {
  const forbiddenName = NOT_WRITABLE.find(
    (name) => metadata[name] !== undefined && !(name === 'id' && metadata.id === file.id),
  )
  if (forbiddenName === 'parents') {
    const use = 'Use the addParents and removeParents parameters instead.'
    throw forbidden('fieldNotWritable', `The parents field is not directly writable in update requests. ${use}`)
  }
  if (forbiddenName && forbiddenName !== 'kind') {
    throw forbidden('fieldNotWritable', 'The resource body includes fields which are not directly writable.')
  }
  const isRoot = file.id === file.owner.rootId
  if (isRoot && metadata.trashed !== undefined) throw forbidden('cannotTrashRoot', 'The root folder cannot be trashed.')
  const { store } = call.google
  const parents = movedTo(call, file)
  const name = text(metadata, 'name') ?? file.name
  const modifiedTime = timeOf(metadata, 'modifiedTime') ?? store.clock()
  const [own, app] = [
    properties(metadata, 'properties', file.properties),
    properties(metadata, 'appProperties', file.appProperties),
  ]
  Object.assign(file, { parents, name, properties: own, appProperties: app })
  store.claim(call.user, file)
  file.mimeType = text(metadata, 'mimeType') ?? file.mimeType
  file.starred = typeof metadata.starred === 'boolean' ? metadata.starred : file.starred
  if (typeof metadata.description === 'string') file.description = metadata.description
  if (typeof metadata.folderColorRgb === 'string') file.folderColorRgb = metadata.folderColorRgb
  if (typeof metadata.trashed === 'boolean') {
    file.trashedTime = metadata.trashed ? store.clock() : null
    file.trashed = metadata.trashed
  }
  // Moving and trashing leave the time of the last change alone.
  if (Object.keys(metadata).some((key) => key !== 'trashed' && key !== 'starred')) file.modifiedTime = modifiedTime
  store.touch(file)
}

function movedTo(call: Call, file: DriveFile): readonly string[] {
  const { store } = call.google
  const ids = (name: string): string[] =>
    (call.query.get(name) ?? '')
      .split(',')
      .filter(Boolean)
      .map((id) => (id === 'root' ? call.user.rootId : id))
  const [added, gone] = [ids('addParents'), ids('removeParents')]
  for (const id of added) {
    const folder = id === call.user.rootId ? store.file(id) : writableFile(call, id)
    if (folder?.mimeType !== FOLDER) throw forbidden('parentNotAFolder', 'The specified parent is not a folder.')
    for (let above: DriveFile | undefined = folder; above; above = store.file(above.parents[0] ?? '')) {
      if (above === file) throw forbidden('cyclicMembershipNotAllowed', 'The requested parents would create a cycle.')
    }
  }
  const parents = [...new Set([...file.parents.filter((id) => !gone.includes(id)), ...added])]
  if (parents.length > Math.max(1, file.parents.length))
    throw forbidden('cannotAddParent', 'Increasing the number of parents is not allowed')
  return parents
}

/** New bytes for a file there is. */
export async function replaceContent(call: Call, file: DriveFile, content: Content): Promise<void> {
  const before = file.content
  file.content = content
  file.headRevisionId = newRevisionId()
  file.modifiedTime = call.google.store.clock()
  await before?.release()
}
