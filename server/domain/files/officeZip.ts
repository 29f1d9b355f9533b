/** Beginning of the MIME types of Word, Excel and PowerPoint documents. */
export const OFFICE = 'application/vnd.openxmlformats-officedocument.'

const DIRECTORY_ENTRY = Buffer.from('PK\x01\x02', 'latin1')
const ENTRY_BYTES = 46

/** What the folder of an office document's main part says about it. */
const TYPE_OF_FOLDER: Readonly<Record<string, string>> = {
  word: `${OFFICE}wordprocessingml.document`,
  xl: `${OFFICE}spreadsheetml.sheet`,
  ppt: `${OFFICE}presentationml.presentation`,
}

/** The MIME type of a ZIP that is a Word, Excel or PowerPoint document, by the directory at its end; null for any other. */
export function officeTypeOf(tail: Buffer): string | null {
  const names = entryNames(tail)
  if (!names.includes('[Content_Types].xml')) return null
  for (const name of names) {
    const type = TYPE_OF_FOLDER[name.split('/')[0] ?? '']
    if (type && name.includes('/')) return type
  }
  return null
}

function entryNames(tail: Buffer): string[] {
  const names: string[] = []
  for (let at = tail.indexOf(DIRECTORY_ENTRY); at >= 0 && at + ENTRY_BYTES <= tail.length; ) {
    const start = at + ENTRY_BYTES
    const end = start + tail.readUInt16LE(at + 28)
    names.push(tail.toString('latin1', start, end))
    at = tail.indexOf(DIRECTORY_ENTRY, end)
  }
  return names
}
