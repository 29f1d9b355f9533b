/** Text whose kind has a MIME type of its own; everything else is text/plain. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.markdown': 'text/markdown',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.rtf': 'text/rtf',
  '.tsv': 'text/tab-separated-values',
  '.vcf': 'text/vcard',
  '.vtt': 'text/vtt',
  '.xml': 'text/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
}

/** The MIME type of a text content by its name's extension (lower case, with the dot). */
export function textMimeType(extension: string): string {
  return MIME_TYPES[extension] ?? 'text/plain'
}

/** Whether first bytes are UTF-16 with its mark. Judged before magic numbers: one of them takes the mark for MP3. */
export function looksLikeUtf16(head: Buffer): boolean {
  const even = head.subarray(0, head.length & ~1)
  if (startsWith(head, [0xff, 0xfe])) return decodes(even, 'utf-16le')
  return startsWith(head, [0xfe, 0xff]) && decodes(even, 'utf-16be')
}

/**
 * Whether first bytes are text in UTF-8 or an older 8-bit encoding, which have no rule that a byte could break: only control
 * characters that no text has (NUL before all) speak against it.
 */
export function looksLikeText(head: Buffer): boolean {
  return !head.some(isBinaryByte)
}

function decodes(bytes: Buffer, encoding: string): boolean {
  try {
    return !new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true }).includes('\0')
  } catch {
    // Not in this encoding: that is the answer.
    return false
  }
}

function startsWith(head: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => head[index] === byte)
}

/** C0 controls other than backspace, tab, line ends, form feed and escape (terminal logs); DEL. */
function isBinaryByte(byte: number): boolean {
  return byte < 0x08 || byte === 0x0b || (byte >= 0x0e && byte < 0x1b) || (byte > 0x1b && byte < 0x20) || byte === 0x7f
}
