import type { FastifyPluginAsync } from 'fastify'
import { renderDocs } from './page.ts'
import { STYLE } from './style.ts'

const ROUTE = { config: { public: true }, schema: { hide: true } }
/** The page is plain HTML with one stylesheet of ours: no script, nothing from elsewhere. */
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Stands in the page where the address belongs that a reader came by. */
const ORIGIN = 'http://skypool.invalid'
/** An address that is safe to paste into a shell. */
const PLAIN = /^https?:\/\/[\w.:[\]-]+$/

/** The OpenAPI document, and the same as a page for people. Both are made once, at the first request. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  let json: string | undefined
  let page: string | undefined
  const document = () => {
    json ??= JSON.stringify(app.swagger())
    return json
  }

  app.get('/openapi.json', ROUTE, (_request, reply) => reply.type('application/json').send(document()))
  app.get('/docs', ROUTE, (request, reply) => {
    page ??= renderDocs(JSON.parse(document()), ORIGIN)
    const { ownOrigin } = request
    const shown = PLAIN.test(ownOrigin) ? page.replace(ORIGIN, ownOrigin) : page
    return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(shown)
  })
  app.get('/docs.css', ROUTE, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
}
