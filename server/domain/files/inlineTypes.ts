/** Types that a browser shows without running anything of theirs. Audio, video and text follow by rule. */
const SAFE_TYPES = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'application/pdf',
])
const NEVER = /html|xml|svg/
const TEXT = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|yaml))$/
const MEDIA = /^(?:audio|video)\/[a-z0-9][a-z0-9.+-]*$/

/**
 * The Content-Type under which a file of this type may be shown in place; null when it may only be downloaded.
 * Text goes as plain text, whatever its kind; HTML, SVG and XML do not go at all.
 */
export function inlineTypeOf(mimeType: string | null): string | null {
  const type = mimeType?.toLowerCase() ?? ''
  if (NEVER.test(type)) return null
  if (TEXT.test(type)) return 'text/plain; charset=utf-8'
  return SAFE_TYPES.has(type) || MEDIA.test(type) ? type : null
}

export function isInlineSafe(mimeType: string | null): boolean {
  return inlineTypeOf(mimeType) !== null
}
