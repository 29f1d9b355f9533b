import { inlineTypeOf } from '../../domain/files/content/types.ts'
import type { File } from '../../domain/files/contract.ts'
import { contentDisposition } from './contentDisposition.ts'

/** Opened as a page, a user's content may do nothing and belongs to no origin. */
const SAVED_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"
/** The page that a browser builds around an image, a sound or a video of its own needs this much. */
const SHOWN_POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
/**
 * PDF viewers are scripts of the browser's own, which a sandbox stops in some of them (older Chromium, Firefox). They run in
 * an origin of their own, so a PDF never acts as ours; Chromium 156 was seen to show it under this policy in our page's frame.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"

const INERT = 'application/octet-stream'
/** Types that a page of ours could be made to run or to style itself with. */
const ACTIVE = /html|xml|svg|script|css|wasm/
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i

/** Type, name and policies of a user's content: to be shown when that was asked for and is safe, else to be saved. */
export function contentHeaders(
  { name, mimeType }: Pick<File, 'name' | 'mimeType'>,
  disposition: 'attachment' | 'inline',
): Record<string, string> {
  const inlineType = inlineTypeOf(mimeType)
  const headers = {
    'content-type': inlineType ?? savedType(mimeType ?? INERT),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
  if (disposition === 'attachment' || inlineType === null) {
    return {
      ...headers,
      'content-disposition': contentDisposition('attachment', name),
      'content-security-policy': SAVED_POLICY,
    }
  }
  return {
    ...headers,
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': inlineType === 'application/pdf' ? PDF_POLICY : SHOWN_POLICY,
    'x-frame-options': 'SAMEORIGIN',
  }
}

function savedType(type: string): string {
  return TYPE.test(type) && !ACTIVE.test(type) ? type : INERT
}
