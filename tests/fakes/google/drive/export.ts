import { Readable } from 'node:stream'
import { DriveError, forbidden } from '../errors.ts'
import { isDocument } from '../model.ts'
import { type Call, fileOf } from './call.ts'
import { refuseRestricted } from './download.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const PDF = 'application/pdf'

const OPEN = 'application/vnd.oasis.opendocument'

/** Media types that documents can be exported as, by the media type of the document. */
export const EXPORT_FORMATS: Readonly<Record<string, readonly string[]>> = {
  'application/vnd.google-apps.document': [
    `${OFFICE}.wordprocessingml.document`,
    PDF,
    'text/plain',
    'text/markdown',
    'application/rtf',
    `${OPEN}.text`,
    'application/zip',
    'application/epub+zip',
  ],
  'application/vnd.google-apps.spreadsheet': [
    `${OFFICE}.spreadsheetml.sheet`,
    PDF,
    `${OPEN}.spreadsheet`,
    'text/csv',
    'text/tab-separated-values',
    'application/zip',
  ],
  'application/vnd.google-apps.presentation': [
    `${OFFICE}.presentationml.presentation`,
    PDF,
    `${OPEN}.presentation`,
    'text/plain',
    'image/jpeg',
    'image/png',
    'image/svg+xml',
  ],
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
  if ((file.exportBytes ?? 0) > MOST_EXPORTED_BYTES) {
    throw forbidden('exportSizeLimitExceeded', 'This file is too large to be exported.')
  }
  const text = type === 'text/plain' ? file.name : `${file.name} as ${type}`
  const bytes = type === PDF ? pdfOf(text) : Buffer.from(text)
  const body = Buffer.concat([bytes, Buffer.alloc(Math.max(0, (file.exportBytes ?? 0) - bytes.length), ' ')])
  await call.exchange.sendObject(
    200,
    { 'Content-Type': type },
    body.length,
    Readable.from([body], { objectMode: false }),
  )
}

const MOST_EXPORTED_BYTES = 10 * 1024 * 1024

/** A page with a line of text. */
export function pdfOf(text: string): Buffer {
  const line = text.replace(/[^\x20-\x7e]/g, '?').replace(/[\\()]/g, '\\$&')
  const content = `BT /F1 24 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  )
}
