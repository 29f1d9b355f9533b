import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Asked by what watches the server, not by browsers. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready'])

/**
 * Sends browsers that came to the proxy without TLS to the address with it. Only where the proxy says so: of what it does not say
 * nothing is known, and a server that redirects on a guess does so for ever.
 */
export function redirectToHttps(app: FastifyInstance, publicUrl: URL | null): void {
  if (publicUrl?.protocol !== 'https:') return
  app.addHook('onRequest', async (request, reply) => {
    if (isPlain(request)) return reply.redirect(publicUrl.origin + request.url, 308)
  })
}

function isPlain({ method, url, headers }: FastifyRequest): boolean {
  const isNavigation = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !PROBES.has(url)
  const nearest = String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return isNavigation && nearest?.toLowerCase() === 'http'
}
