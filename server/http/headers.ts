import type { FastifyReply } from 'fastify'

const YEAR_SECONDS = 31_536_000
/** What data may do when somebody opens it as a page: nothing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Headers of every response, errors and hijacked replies included. Pages and inline files replace what they need to. */
export function securityHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...(https && { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }),
  }
}

/** The policy of our own pages. `scriptHashes` are of the inline scripts in the page, as `sha256-...`. */
export function pagePolicy(scriptHashes: readonly string[] = []): string {
  const inline = scriptHashes.map((hash) => ` '${hash}'`).join('')
  return [
    "default-src 'none'",
    `script-src 'self'${inline}`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Set on the raw response, so that they also go with replies that leave Fastify's path. */
export function applyHeaders(reply: FastifyReply, headers: readonly (readonly [string, string])[]): void {
  for (const [name, value] of headers) reply.raw.setHeader(name, value)
}
