import { DriveError, forbidden } from '../errors.ts'
import { isDocument } from '../model.ts'
import { type Call, fileOf } from './call.ts'
import { refuseRestricted } from './download.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const PDF = 'application/pdf'

/** Media types that documents can be exported as, by the media type of the document. */
export const EXPORT_FORMATS: Readonly<Record<string, readonly string[]>> = {
  'application/vnd.google-apps.document': [
    `${OFFICE}.wordprocessingml.document`,
    PDF,
    'text/plain',
    'text/markdown',
    'application/rtf',
    'application/vnd.oasis.opendocument.text',
  ],
  'application/vnd.google-apps.spreadsheet': [`${OFFICE}.spreadsheetml.sheet`, PDF, 'text/csv'],
  'application/vnd.google-apps.presentation': [`${OFFICE}.presentationml.presentation`, PDF, 'text/plain'],
  'application/vnd.google-apps.drawing': ['image/png', 'image/svg+xml', 'image/jpeg', PDF],
}

/** The document in another format: a text that names both, as nothing else is known of its content. */
export async function exportFile(call: Call, id: string): Promise<void> {
  const file = fileOf(call, id)
  if (!isDocument(file)) throw forbidden('fileNotExportable', 'Export only supports Docs Editors files.')
  refuseRestricted(call, file)
  const type = call.query.get('mimeType')
  if (type === null) {
    const where = { location: 'mimeType', locationType: 'parameter' }
    throw new DriveError(400, 'required', 'Required parameter: mimeType', where)
  }
  if (!EXPORT_FORMATS[file.mimeType]?.includes(type)) {
    throw new DriveError(400, 'badRequest', 'The requested conversion is not supported.')
  }
  const text = type === 'text/plain' ? file.name : `${file.name} as ${type}`
  await call.exchange.send(200, { 'Content-Type': type }, text)
}
