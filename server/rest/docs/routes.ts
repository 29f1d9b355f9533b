import type { FastifyPluginAsync } from 'fastify'
import { renderDocs } from './page.ts'

const ROUTE = { config: { public: true }, schema: { hide: true } }
/** The page is plain HTML with one stylesheet of ours: no scripts, nothing from other origins. */
const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Placeholder for the address that the reader uses. */
const ORIGIN = 'http://skypool.invalid'
/** An address without shell metacharacters. */
const PLAIN = /^https?:\/\/[\w.:[\]-]+$/

/** The OpenAPI document as JSON and as an HTML page, both generated on the first request. */
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

/** Stylesheet of the docs page, with the colours of the web client's tokens. */
const STYLE = `
:root { color-scheme: light dark; --bg: #fff; --subtle: #f5f8f9; --line: #d7dddf; --fg: #121e21; --muted: #425054; --accent: #025d76; --good: #08633d; --bad: #ac2120 }
@media (prefers-color-scheme: dark) { :root { --bg: #0f1516; --subtle: #161e20; --line: #2f3a3d; --fg: #e6edef; --muted: #a9b6ba; --accent: #7cc6dd; --good: #6fd3a2; --bad: #ff9d97 } }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 14rem minmax(0, 1fr); background: var(--bg); color: var(--fg); font: 15px/1.55 Inter, system-ui, sans-serif }
nav { position: sticky; top: 0; align-self: start; height: 100vh; padding: 1.5rem; border-right: 1px solid var(--line); background: var(--subtle) }
nav h1 { font-size: 1.1rem; margin: 0 0 1rem }
nav h1 a { display: inline; color: inherit }
main a { color: var(--accent) }
ol { padding-left: 1.4rem }
li { margin: .75rem 0 }
nav a { display: block; padding: .25rem 0; color: var(--accent); text-decoration: none }
nav a:hover { text-decoration: underline }
main { max-width: 60rem; padding: 1.5rem 2rem 6rem }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem }
h4 { margin: 1.25rem 0 .4rem; font-size: .9rem }
small { color: var(--muted); font-weight: 400 }
code, pre { font-family: "Geist Mono", ui-monospace, Menlo, Consolas, monospace; font-size: .86em }
pre code { font-size: 1em }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--subtle) }
.call { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0 }
.call > summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; padding: .6rem 1rem; cursor: pointer }
.call[open] > summary { border-bottom: 1px solid var(--line); background: var(--subtle) }
.call .inside { padding: .25rem 1rem 1rem }
.what { color: var(--muted) }
.method { min-width: 4.5rem; font-weight: 600; font-size: .8rem; color: var(--accent) }
.method.delete, .s4, .s5 { color: var(--bad) }
.method.post, .s2 { color: var(--good) }
table { width: 100%; border-collapse: collapse; font-size: .93em }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
tr:target { background: var(--subtle) }
dl { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); gap: .35rem 0; margin: 0 }
dd { margin: 0 }
.status { font-weight: 600 }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 767.98px) { body { grid-template-columns: minmax(0, 1fr) } nav { position: static; height: auto } main { padding: 1rem } table { display: block; overflow-x: auto } }
`
