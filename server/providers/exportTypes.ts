/** Formats of exported documents, by the extension of such files. */
export const EXPORT_TYPES = [
  'docx',
  'xlsx',
  'pptx',
  'pdf',
  'odt',
  'ods',
  'odp',
  'rtf',
  'md',
  'txt',
  'html',
  'epub',
  'csv',
  'tsv',
  'png',
  'jpg',
  'svg',
] as const

export type ExportType = (typeof EXPORT_TYPES)[number]

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN = 'application/vnd.oasis.opendocument'

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportType, string>> = {
  docx: `${OFFICE}.wordprocessingml.document`,
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  pptx: `${OFFICE}.presentationml.presentation`,
  pdf: 'application/pdf',
  odt: `${OPEN}.text`,
  ods: `${OPEN}.spreadsheet`,
  odp: `${OPEN}.presentation`,
  rtf: 'application/rtf',
  md: 'text/markdown',
  txt: 'text/plain',
  html: 'text/html',
  epub: 'application/epub+zip',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
}

/** The order in which the usual type is chosen: first those that can be edited. */
const PREFERRED: readonly ExportType[] = ['docx', 'xlsx', 'pptx', 'pdf', 'md', 'png']

/** The type for downloads of many files at once; null when a document cannot be exported. */
export function usualExportType(types: readonly ExportType[]): ExportType | null {
  return PREFERRED.find((type) => types.includes(type)) ?? types[0] ?? null
}

/** From a list separated by commas; other words are left out. */
export function parseExportTypes(text: string | null): ExportType[] {
  return (text ?? '').split(',').filter(isExportType)
}

export function isExportType(text: string): text is ExportType {
  return (EXPORT_TYPES as readonly string[]).includes(text)
}
