import { forbidden, invalid, storageFull } from '../errors.ts'
import { type DriveFile, FOLDER } from '../model.ts'
import { type Call, fileOf, numberOf, readJson, writableFile } from './call.ts'
import { refuseRestricted } from './download.ts'
import { type Mask, parseFields, project } from './fields.ts'
import { createFile, hasContent, updateMetadata } from './metadata.ts'
import { FILE } from './shapes.ts'
import { viewFile } from './view.ts'

const DEFAULT_FILE_FIELDS = 'kind,id,name,mimeType'

export const fileMask = ({ query }: Call): Mask => parseFields(query.get('fields') || DEFAULT_FILE_FIELDS, FILE)

export async function fileAnswer(call: Call, file: DriveFile, mask: Mask): Promise<unknown> {
  return project(await viewFile(call, file, mask), mask)
}

async function sendFile(call: Call, file: DriveFile, mask: Mask): Promise<void> {
  await call.exchange.sendJson(200, await fileAnswer(call, file, mask))
}

export async function getFile(call: Call, id: string): Promise<void> {
  const mask = fileMask(call)
  await sendFile(call, fileOf(call, id), mask)
}

export async function generateIds(call: Call): Promise<void> {
  const count = numberOf(call.query, 'count', 10, 1000)
  const space = call.query.get('space') ?? 'drive'
  if (space !== 'drive' && space !== 'appDataFolder') throw invalid('space')
  const ids = Array.from({ length: count }, () => call.google.store.newId())
  await call.exchange.sendJson(200, { kind: 'drive#generatedIds', space, ids })
}

/** Metadata alone: folders, shortcuts, and files of no bytes. */
export async function createEmpty(call: Call): Promise<void> {
  const metadata = await readJson(call)
  const mask = fileMask(call)
  const content = hasContent(metadata) ? call.google.emptyContent() : null
  await sendFile(call, createFile(call, metadata, content), mask)
}

export async function updateFile(call: Call, id: string): Promise<void> {
  const metadata = await readJson(call)
  const mask = fileMask(call)
  const file = writableFile(call, id)
  updateMetadata(call, file, metadata)
  await sendFile(call, file, mask)
}

export async function deleteFile(call: Call, id: string): Promise<void> {
  const file = writableFile(call, id, ['owner'])
  if (file.id === call.user.rootId) throw forbidden('insufficientFilePermissions', 'The root folder cannot be deleted.')
  await call.google.store.remove(file)
  await call.exchange.send(204)
}

export async function emptyTrash(call: Call): Promise<void> {
  for (const file of call.google.store.filesOf(call.user)) if (file.trashed) await call.google.store.remove(file)
  await call.exchange.send(204)
}

export async function copyFile(call: Call, id: string): Promise<void> {
  const given = await readJson(call)
  const mask = fileMask(call)
  const file = fileOf(call, id)
  if (file.mimeType === FOLDER) throw forbidden('cannotCopyFile', 'This file cannot be copied by the user.')
  refuseRestricted(call, file)
  const size = file.content?.size ?? 0
  if (call.exchange.take('full') || !call.google.hasRoom(call.user, size)) throw storageFull()
  const inherited = {
    name: `Copy of ${file.name}`,
    mimeType: file.mimeType,
    parents: file.parents,
    modifiedTime: new Date(file.modifiedTime).toISOString(),
    appProperties: file.createdBy === call.clientId ? file.appProperties : {},
    ...(file.shortcutTargetId && { shortcutDetails: { targetId: file.shortcutTargetId } }),
  }
  const copy = createFile(call, { ...inherited, ...given }, file.content)
  file.content?.share()
  await sendFile(call, copy, mask)
}
