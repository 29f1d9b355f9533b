/** Marks that turn the direction of what follows: with them a name can look as if it had another extension. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Left as they are in `filename*` (RFC 8187, attr-char); encodeURIComponent leaves some more. */
const NOT_ATTR_CHAR = /[!'()*]/g

/** `Content-Disposition` with the name in any script (RFC 6266), and an ASCII form for old clients. */
export function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const shown = name.replace(DIRECTION_MARKS, '')
  const ascii = shown.replace(/[^\x20-\x7e]+|["\\%/]/g, '_')
  const encoded = encodeURIComponent(shown).replace(NOT_ATTR_CHAR, (character) => `%${hexOf(character)}`)
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase()
}
