/** Names of the formats that native documents can be downloaded as. */
const NAMES: Readonly<Record<string, string>> = {
  docx: 'Word',
  xlsx: 'Excel',
  pptx: 'PowerPoint',
  pdf: 'PDF',
  odt: 'OpenDocument',
  ods: 'OpenDocument',
  odp: 'OpenDocument',
  rtf: 'Rich text',
  md: 'Markdown',
  txt: 'Plain text',
  html: 'Web page',
  epub: 'E-book',
  csv: 'CSV, first sheet',
  tsv: 'TSV, first sheet',
  png: 'PNG picture',
  jpg: 'JPEG picture',
  svg: 'SVG drawing',
}

/** "Word (.docx)". */
export function exportTypeText(type: string): string {
  return `${NAMES[type] ?? 'File'} (.${type})`
}

/** Why a native document cannot be downloaded. */
export function noExportReason(nativeKind: string): string {
  if (nativeKind === 'SHORTCUT') return 'A shortcut has no content itself. Open what it points to.'
  return 'This document can only be opened at its provider.'
}
