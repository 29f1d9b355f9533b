// Without the names of the formats (exportTypes.ts), which are only needed when one is chosen.

type Document = { readonly id: string; readonly name: string }

/** What a native document is downloaded from, and the name under which it is saved. Its size is not known before. */
export function exportedFile({ id, name }: Document, type: string) {
  return { id, name: exportName(name, type), size: 0, downloadUrl: exportUrl(id, type) }
}

export function exportUrl(id: string, type: string, disposition = 'attachment'): string {
  return `/api/v1/files/${encodeURIComponent(id)}/export?type=${type}&disposition=${disposition}`
}

/** As the server names it. */
function exportName(name: string, type: string): string {
  const stem = name.replace(/\.papert?$/i, '')
  return stem.toLowerCase().endsWith(`.${type}`) ? stem : `${stem}.${type}`
}
