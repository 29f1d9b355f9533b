const NAMES: Readonly<Record<string, readonly [google: string, other: string]>> = {
  DOCUMENT: ['Google Doc', 'Document'],
  SPREADSHEET: ['Google Sheet', 'Spreadsheet'],
  PRESENTATION: ['Google Slides', 'Presentation'],
  DRAWING: ['Google Drawing', 'Drawing'],
  SHORTCUT: ['Shortcut', 'Shortcut'],
}

type Native = { readonly nativeKind?: string | null | undefined; readonly mimeType?: string | null | undefined }

/** What a document of a provider is, for its badge: "Google Doc"; null for files. */
export function nativeName({ nativeKind, mimeType }: Native): string | null {
  if (!nativeKind) return null
  const isGoogle = mimeType?.startsWith('application/vnd.google-apps.') === true
  return NAMES[nativeKind]?.[isGoogle ? 0 : 1] ?? 'Online document'
}
