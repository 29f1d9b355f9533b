import type { JsonSchema, OpenApi, Operation, Parameter } from '../../../server/rest/docs/document.ts'
import type { Random } from '../crashTest/random.ts'
import { mangledForm } from './forms.ts'
import { NAUGHTY } from './naughty.ts'
import type { HostileRequest, World } from './request.ts'
import { chance, encoded, headerText, oddBody, oddJson, oddPart, oddType, pick } from './values.ts'

type Known = { readonly method: string; readonly path: string; readonly operation: Operation }

const ODD_METHODS = ['TRACE', 'PROPFIND', 'LOCK', 'SEARCH', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'POST']

/** Creates invalid requests from the OpenAPI document of the server. */
export function createRestRequests(document: OpenApi) {
  const operations: Known[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const schemas = document.components.schemas

  return (random: Random, world: World): HostileRequest => {
    const { method, path, operation } = pick(random, operations)
    const parameters = operation.parameters ?? []
    const { body, type } = bodyOf(random, operation, world, schemas)
    return {
      method: chance(random, 0.06) ? pick(random, ODD_METHODS) : method,
      path: addressOf(random, path, parameters, world),
      headers: { ...(type !== null && { 'content-type': type }), ...headersOf(random, parameters) },
      body,
    }
  }
}

function addressOf(random: Random, path: string, parameters: readonly Parameter[], world: World): string {
  const filled = path.replace(/\{\w+\}/g, () => (chance(random, 0.6) ? pick(random, world.ids) : oddPart(random)))
  const known = parameters.filter((parameter) => parameter.in === 'query' && chance(random, 0.4))
  const pairs = known.map(({ name, schema }) => `${name}=${queryValue(random, schema, world)}`)
  if (chance(random, 0.1)) pairs.push(`${oddPart(random)}=${oddPart(random)}`)
  if (chance(random, 0.05)) pairs.push('__proto__[x]=1', 'limit=1', 'limit=2', 'limit[]=3', 'limit[$ne]=4')
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

function queryValue(random: Random, schema: JsonSchema, world: World): string {
  if (chance(random, 0.5)) return oddPart(random)
  if (chance(random, 0.3)) return pick(random, world.ids)
  return encoded(String(schema.enum ? pick(random, schema.enum) : oddJson(random).slice(0, 2_000)))
}

function headersOf(random: Random, parameters: readonly Parameter[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, in: place, schema } of parameters) {
    if (place !== 'header' || chance(random, 0.3)) continue
    headers[name] = chance(random, 0.5) ? headerText(pick(random, NAUGHTY)) : goodHeader(random, name, schema)
  }
  return headers
}

function goodHeader(random: Random, name: string, schema: JsonSchema): string {
  if (name.toLowerCase() === 'tus-resumable') return '1.0.0'
  if (name.toLowerCase() === 'upload-metadata')
    return `filename ${Buffer.from(pick(random, NAUGHTY)).toString('base64')}`
  if (schema.type === 'integer') return pick(random, ['0', '4', '-1', '1e3', '9223372036854775808', '99999999999999'])
  return 'plain'
}

type Body = { readonly body: Buffer | undefined; readonly type: string | null }

function bodyOf(random: Random, operation: Operation, world: World, schemas: Record<string, JsonSchema>): Body {
  const content = operation.requestBody?.content ?? {}
  if (content['multipart/form-data'] && chance(random, 0.9)) return mangledForm(random, 'file')
  const schema = content['application/json']?.schema
  if (!schema) {
    if (chance(random, 0.6)) return { body: undefined, type: null }
    return { body: oddBody(random), type: chance(random, 0.5) ? 'application/offset+octet-stream' : oddType(random) }
  }
  if (chance(random, 0.15)) return { body: oddBody(random), type: 'application/json' }
  const text = mutated(random, schema, world, schemas)
  return { body: Buffer.from(text), type: chance(random, 0.08) ? oddType(random) : 'application/json' }
}

/** JSON that resembles the schema, with at least one error. */
function mutated(random: Random, schema: JsonSchema, world: World, schemas: Record<string, JsonSchema>): string {
  const resolved = resolve(schema, schemas)
  if (resolved.type === 'array') return `[${mutated(random, resolved.items ?? {}, world, schemas)}]`
  const entries = Object.entries(resolved.properties ?? {})
  const victim = entries.length > 0 ? pick(random, entries)[0] : null
  const fields = entries
    .filter(([name]) => name === victim || resolved.required?.includes(name) || chance(random, 0.3))
    .filter(([name]) => name !== victim || chance(random, 0.9))
    .map(([name, property]) => {
      const isOdd = name === victim || chance(random, 0.1)
      return `${JSON.stringify(name)}:${isOdd ? oddJson(random) : good(random, name, resolve(property, schemas), world)}`
    })
  if (chance(random, 0.15)) fields.push(`${JSON.stringify(pick(random, NAUGHTY))}:${oddJson(random)}`)
  if (chance(random, 0.05)) fields.push(`"__proto__":${oddJson(random)}`)
  return `{${fields.join()}}`
}

function resolve(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  if (name && schemas[name]) return resolve(schemas[name], schemas)
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  return first ? resolve(first, schemas) : schema
}

/** JSON of a valid value. */
function good(random: Random, name: string, schema: JsonSchema, world: World): string {
  if (schema.enum) return JSON.stringify(pick(random, schema.enum))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'boolean') return String(chance(random, 0.5))
  if (type === 'integer' || type === 'number') return String(random.between(schema.minimum ?? 0, 10))
  if (type === 'array') return JSON.stringify([pick(random, world.ids)])
  if (type === 'object') return '{}'
  if (schema.format === 'date-time') return '"2030-01-01T00:00:00.000Z"'
  return JSON.stringify(
    /id$/i.test(name) ? pick(random, world.ids) : /email/i.test(name) ? 'a@example.org' : 'plain text',
  )
}
