import { type Html, html } from '../../lib/html.ts'
import type { Content, Operation, Parameter, Response } from './document.ts'
import { type Components, exampleOf, fieldsOf, resolve, typeOf } from './schemaText.ts'

export type Call = { readonly method: string; readonly path: string; readonly operation: Operation }

/** One call, folded: what it takes, what it answers, and how to try it. */
export function renderCall(call: Call, components: Components): Html {
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

/** Text with `code` in it. */
export function prose(text: string): Html[] {
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
  return html`<h4>Answers</h4><dl>${rows}</dl>`
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

/** A command that works in a shell after signing in with `-c cookies`. */
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

const FROM_JAR = '-b cookies'

/** A key where one is let in, else the cookie of a session, else nothing. */
function credentials(path: string, { security = [] }: Operation): string[] {
  if (path.endsWith('/login') || path.endsWith('/register')) return ['-c cookies']
  if (security.length === 0) return []
  return security.some(({ key }) => key) ? ['-H "Authorization: Bearer $SKYPOOL_KEY"'] : [FROM_JAR]
}

function bodyOptions(type: string, example: unknown): string[] {
  if (type.startsWith('multipart/')) return ['-F file=@picture.jpg']
  if (type !== 'application/json') return [`-H 'Content-Type: ${type}'`, '--data-binary @picture.jpg']
  return [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(example)}'`]
}
