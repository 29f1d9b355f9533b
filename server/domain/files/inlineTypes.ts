/** Raster images, and what the browser shows in its own viewers. Never SVG, HTML or XML: they can carry scripts. */
const INLINE_TYPES: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/x-icon',
])

/** Whether a browser may show content of this type in place, on our own origin. */
export function isInlineSafe(mimeType: string | null): boolean {
  if (mimeType === null) return false
  return INLINE_TYPES.has(mimeType) || mimeType.startsWith('video/') || mimeType.startsWith('audio/')
}
