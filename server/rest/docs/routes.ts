import type { FastifyPluginAsync } from 'fastify'
import { renderDocs } from './page.ts'
import { STYLE } from './style.ts'

const ROUTE = { config: { public: true }, schema: { hide: true } }
/** The page is plain HTML with one stylesheet of ours: no script, nothing from elsewhere. */
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI document, and the same as a page for people. Both are made once, at the first request. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  let json: string | undefined
  let page: string | undefined
  const document = () => {
    json ??= JSON.stringify(app.swagger())
    return json
  }

  app.get('/openapi.json', ROUTE, (_request, reply) => reply.type('application/json').send(document()))
  app.get('/docs', ROUTE, (_request, reply) => {
    page ??= renderDocs(JSON.parse(document()))
    return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page)
  })
  app.get('/docs.css', ROUTE, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
}
