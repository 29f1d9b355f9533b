import { type Html, html } from '../../lib/html.ts'
import { PROBLEMS } from '../errors.ts'
import type { Content, JsonSchema, OpenApi, Operation, Parameter, Response } from './document.ts'

const REFERENCE = '#/components/schemas/'
const FROM_JAR = '-b cookies'

type Call = { readonly method: string; readonly path: string; readonly operation: Operation }

type Components = Readonly<Record<string, JsonSchema>>
type Field = {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

/** Shell commands of the first steps, in order. */
const ADDRESS = (origin: string) => `export SKYPOOL=${origin}
export SKYPOOL_KEY=sky_live_…`

const UPLOAD = `echo 'Pier 4, gate B' > note.txt
curl "$SKYPOOL/api/v1/files" \\
  -H "Authorization: Bearer $SKYPOOL_KEY" \\
  -F file=@note.txt`

const LIST = `curl "$SKYPOOL/api/v1/files?view=all&limit=20" \\
  -H "Authorization: Bearer $SKYPOOL_KEY"`

/**
 * Renders the OpenAPI document as one HTML page: first steps with the address `origin`, operations by tag, then the table of error
 * codes, which the `type` of every problem links to.
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
<p>Every error has this shape: programs check <code>code</code>, people see <code>detail</code>, and <code>errors</code> lists invalid fields.</p>
<pre><code>{ "type", "title", "status", "code", "detail", "errors"?: [{ "path", "message" }] }</code></pre>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

/** First steps up to the first list of files, with the address that the reader uses. */
function renderFirstSteps(origin: string): Html {
  return html`<section id="first-steps"><h2>First steps</h2>
<ol>
<li>Create a key on the page <a href="/key-management">API Keys</a>, copy it, and set it in your shell:
<pre tabindex="0"><code>${ADDRESS(origin)}</code></pre></li>
<li>Upload a file. The response means that it is safely stored:
<pre tabindex="0"><code>${UPLOAD}</code></pre></li>
<li>List your files:
<pre tabindex="0"><code>${LIST}</code></pre></li>
</ol>
<p>The examples of all operations open to keys use the same two variables. For custom queries and live updates see
<a href="/docs/graphql">GraphQL</a>.</p></section>`
}

/** One operation, collapsed: parameters, responses and an example. */
function renderCall(call: Call, components: Components): Html {
  const { method, path, operation } = call
  return html`<details class="call" id="${operation.operationId}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="what">${operation.summary}</span></summary>
<div class="inside">
${operation.description && html`<p>${prose(operation.description)}</p>`}
${operation.parameters && renderParameters(operation.parameters)}
${operation.requestBody && renderBody(operation.requestBody.content, components)}
${renderResponses(operation, components)}
<h4>Try it</h4>
<pre><code>${curl(call, components)}</code></pre>
</div>
</details>`
}

/** Renders text with `code` in backticks. */
function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))
}

function renderParameters(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeOf(schema)}${required && html`, required`}</td><td>${prose(description ?? schema.description ?? '')}</td></tr>`,
  )
  return html`<h4>Parameters</h4>
<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderBody(content: Content, components: Components): Html[] {
  return Object.entries(content).map(
    ([type, { schema = {} }]) => html`<h4>Body <small>${type}</small></h4>${renderFields(schema, components)}`,
  )
}

function renderFields(schema: Parameters<typeof fieldsOf>[0], components: Components): Html {
  const fields = fieldsOf(schema, components)
  if (fields.length === 0)
    return html`<p>${typeOf(schema)}. ${prose(resolve(schema, components).description ?? '')}</p>`
  const rows = fields.map(
    ({ path, type, required, description }) =>
      html`<tr><td><code>${path}</code></td><td>${type}${required && html`, required`}</td><td>${prose(description)}</td></tr>`,
  )
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderResponses({ responses }: Operation, components: Components): Html {
  const rows = Object.entries(responses).map(
    ([status, { description, headers, content }]) =>
      html`<dt><span class="status s${status.charAt(0)}">${status}</span></dt><dd>${prose(description)} ${renderHeaders(headers)} ${status < '3' && content && renderAnswer(content, components)}</dd>`,
  )
  return html`<h4>Responses</h4><dl>${rows}</dl>`
}

function renderHeaders(headers: Response['headers'] = {}): Html[] {
  return Object.entries(headers).map(
    ([name, { description = '' }]) => html`<br><small><code>${name}</code> ${prose(description)}</small>`,
  )
}

function renderAnswer(content: Content, components: Components): Html[] {
  return Object.entries(content).map(([type, { schema = {} }]) =>
    type === 'application/json'
      ? html`<pre><code>${JSON.stringify(exampleOf(schema, components), null, 2)}</code></pre>`
      : html`<small>${type}</small>`,
  )
}

/** A shell command; operations for sessions work after signing in with `-c cookies`. */
function curl({ method, path, operation }: Call, components: Components): string {
  const address = `"$SKYPOOL${path}"`
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${address}`,
    ...credentials(path, operation),
  ]
  if (lines.includes(FROM_JAR) && method !== 'get') lines.push('-H "Origin: $SKYPOOL"')
  const [body] = Object.entries(operation.requestBody?.content ?? {})
  if (body) lines.push(...bodyOptions(body[0], exampleOf(body[1].schema ?? {}, components)))
  return lines.join(' \\\n  ')
}

/** Options for a key where keys are accepted, else for the session cookie, else none. */
function credentials(path: string, { security = [] }: Operation): string[] {
  if (path.endsWith('/login') || path.endsWith('/register')) return ['-c cookies']
  if (path.endsWith('/logout')) return [FROM_JAR]
  if (security.length === 0) return []
  return security.some(({ key }) => key) ? ['-H "Authorization: Bearer $SKYPOOL_KEY"'] : [FROM_JAR]
}

function bodyOptions(type: string, example: unknown): string[] {
  if (type.startsWith('multipart/')) return ['-F file=@picture.jpg']
  if (type !== 'application/json') return [`-H 'Content-Type: ${type}'`, '--data-binary @picture.jpg']
  return [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`]
}

/** The schema, with a $ref to a component resolved. */
function resolve(schema: JsonSchema, components: Components): JsonSchema {
  return schema.$ref ? (components[schema.$ref.slice(REFERENCE.length)] ?? {}) : schema
}

/** A short type description: "string", "MOST_FREE | IN_ORDER", "File[]", "number or null". */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.slice(REFERENCE.length)
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.const !== undefined) return String(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.map(typeOf).join(' or ')
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'any'}[]`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format ? `${types} (${schema.format})` : types
}

/** All fields of an object, nested ones with a dotted path. Components are named, not expanded. */
function fieldsOf(schema: JsonSchema, components: Components, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, components)
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix + name
    const field = {
      path,
      type: typeOf(property),
      required: required.includes(name),
      description: property.description ?? '',
    }
    const inner = property.type === 'array' ? property.items : property
    const suffix = property.type === 'array' ? '[].' : '.'
    return [field, ...(inner?.properties ? fieldsOf(inner, components, path + suffix) : [])]
  })
}

/** A value that matches the schema: the example of the document where it has one. */
function exampleOf(schema: JsonSchema, components: Components): unknown {
  const { properties, required, items, ...rest } = resolve(schema, components)
  const [given] = schema.examples ?? []
  if (given !== undefined) return given
  if (rest.default !== undefined) return rest.default
  if (rest.const !== undefined) return rest.const
  if (rest.enum) return rest.enum[0]
  const [alternative] = rest.anyOf ?? rest.oneOf ?? []
  if (alternative) return exampleOf(alternative, components)
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => !required?.length || required.includes(name))
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, components)]))
  }
  const [type] = [rest.type ?? 'string'].flat()
  if (type === 'array') return items ? [exampleOf(items, components)] : []
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return rest.minimum ?? 0
  return rest.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : 'string'
}
