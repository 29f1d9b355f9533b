import { type Html, html } from '../../lib/html.ts'
import { PROBLEMS } from '../errors.ts'
import type { OpenApi } from './document.ts'
import { renderFirstSteps } from './firstSteps.ts'
import { type Call, prose, renderCall } from './operation.ts'

/**
 * The OpenAPI document as one page: first steps at the address `origin`, calls by group, then the table of error codes that every
 * problem's `type` points to.
 */
export function renderDocs(document: OpenApi, origin: string): string {
  const { info, components } = document
  const groups = [...groupByTag(document)]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="stylesheet" href="/api/v1/docs.css">
</head>
<body>
<nav aria-label="Contents">
<h1><a href="/">${info.title}</a> API</h1>
<a href="#first-steps">first steps</a>
${groups.map(([tag]) => html`<a href="#${tag}">${tag}</a>`)}
<a href="#errors">errors</a>
<a href="/api/v1/openapi.json">openapi.json</a>
<a href="/docs/graphql">GraphQL</a>
</nav>
<main>
<section>${(info.description ?? '').split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}</section>
${renderFirstSteps(origin)}
${groups.map(([tag, calls]) => html`<section id="${tag}"><h2>${tag}</h2>${calls.map((call) => renderCall(call, components.schemas))}</section>`)}
${renderErrors()}
</main>
</body>
</html>`
  return page.html
}

function groupByTag({ paths }: OpenApi): Map<string, Call[]> {
  const groups = new Map<string, Call[]>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [tag = 'other'] = operation.tags ?? []
      groups.set(tag, [...(groups.get(tag) ?? []), { method, path, operation }])
    }
  }
  return groups
}

function renderErrors(): Html {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, title }]) =>
      html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  )
  return html`<section id="errors"><h2>errors</h2>
<p>Every error has this shape; go by <code>code</code>, show <code>detail</code>, and mark the fields in <code>errors</code>.</p>
<pre><code>{ "type", "title", "status", "code", "detail", "errors"?: [{ "path", "message" }] }</code></pre>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></section>`
}
