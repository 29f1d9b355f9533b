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

/**
 * Whether first bytes are text: UTF-16 with its mark, UTF-8, or an older 8-bit encoding. Control characters that no text
 * has (NUL before all) speak against it.
 */
export function looksLikeText(head: Buffer): boolean {
  if (startsWith(head, [0xff, 0xfe])) return decodes(head.subarray(0, head.length & ~1), 'utf-16le')
  if (startsWith(head, [0xfe, 0xff])) return decodes(head.subarray(0, head.length & ~1), 'utf-16be')
  // The head may end inside a character, which `stream` allows; 8-bit encodings have no rule that a byte could break.
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
