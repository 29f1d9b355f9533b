import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { JSONSchema } from 'zod/v4/core'
import type { Provider } from '../domain/accounts/contract.ts'
import type { Access } from '../domain/viewer.ts'
import { complete } from './docs/complete.ts'
import type { OpenApi } from './docs/document.ts'
import { PROBLEMS, type ProblemCode } from './errors.ts'
import { accessOf, type ResponseHeaders } from './request.ts'
import { Problem } from './schemas.ts'

type RouteSchema = NonNullable<RouteOptions['schema']>
/** A route's schema as @fastify/swagger reads it. */
type Described = { readonly response?: Record<string, { headers?: ResponseHeaders }> }

/** Codes of every route, in addition to its own. */
const ALWAYS: readonly ProblemCode[] = ['INTERNAL']
const SIGNED_IN_ONLY: readonly ProblemCode[] = ['UNAUTHENTICATED', 'TOO_MANY_REQUESTS']
const NOT_BY_EVERY_KEY: readonly ProblemCode[] = ['KEY_REFUSED']
const WRITING: readonly ProblemCode[] = ['FOREIGN_ORIGIN', 'ORIGIN_REQUIRED']
const WITH_BODY: readonly ProblemCode[] = ['MALFORMED_BODY', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Headers of error responses, as errors.ts and the routes send them. */
const PROBLEM_HEADERS: Partial<Record<ProblemCode, ResponseHeaders>> = {
  TOO_MANY_REQUESTS: { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } },
  UPLOAD_OFFSET_MISMATCH: { 'Upload-Offset': { type: 'integer', description: 'Where the upload continues.' } },
  RANGE_NOT_SATISFIABLE: { 'Content-Range': { type: 'string', description: '`bytes */` and the size.' } },
  STORAGE_FULL: { 'X-Free-Bytes': { type: 'integer', description: 'Available bytes.' } },
}

const DESCRIPTION = `Files, uploads and group clouds of one Skypool server.

Programs send \`Authorization: Bearer\` and an API key, which people create on the page API Keys; each operation names the scope it
requires. Browsers sign in with \`POST /api/v1/auth/login\`; the response sets the session cookie. Requests that change something
and carry the cookie also need the \`Origin\` header of this server. Errors are \`application/problem+json\` with
a stable \`code\`. Lists are \`{ items, nextCursor }\`: pass \`nextCursor\` as \`cursor\` to get the next page. Sizes are bytes, times are UTC.`

const IdempotencyKeyHeader = z.object({
  'idempotency-key': z
    .string()
    .max(255)
    .optional()
    .describe('Any text. Repeating the request with the same key within 24 hours creates nothing twice.'),
})

/** Removes bounds and patterns that only repeat `integer` and `format`. */
const zodToJsonConfig = {
  override({ jsonSchema }: { jsonSchema: JSONSchema.BaseSchema }) {
    if (jsonSchema.format) delete jsonSchema.pattern
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  },
}
const toJsonSchema = createJsonSchemaTransform({ zodToJsonConfig })
const withComponents = createJsonSchemaTransformObject({ zodToJsonConfig })

/** Documents every route registered on `app` afterwards, from the same schemas that validate requests. */
export async function describeRoutes(app: FastifyInstance, providers: readonly Provider[]): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Skypool',
        version: '1',
        description: DESCRIPTION,
        contact: { name: 'The administrator of this server' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'sid' },
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key; each operation names the scope it requires.',
          },
        },
      },
    },
    transform(document) {
      const described = toJsonSchema({ ...document, schema: describe(document.schema, document.route) })
      addHeaders(described.schema as Described, document.schema ?? {}, document.route)
      return described
    },
    transformObject(document) {
      const described = withComponents(document)
      tidy(described as OpenApi)
      complete(described as OpenApi, providers)
      return described
    },
  })
}

function tidy({ components, paths }: OpenApi): void {
  // Every component is generated twice, for responses and (Input) for requests; ours are only used in responses.
  for (const name of Object.keys(components.schemas)) if (name.endsWith('Input')) delete components.schemas[name]
  for (const { responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const [status, response] of Object.entries(responses)) {
      if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? ''
    }
  }
}

/** A route's schema with the additions from its config and the app's hooks. */
function describe(schema: RouteSchema = {}, route: RouteOptions): RouteSchema {
  if (schema.hide) return schema
  const { public: isPublic, idempotent, documents } = route.config ?? {}
  const access = accessOf(route.config ?? {}, String(route.method))
  const { responseHeaders: _added, ...shown } = documents ?? {}
  return {
    ...schema,
    operationId: operationId(route),
    security: isPublic ? [] : securityOf(access),
    ...(access && access !== 'SESSION' && !isPublic && { 'x-required-scope': access }),
    ...(idempotent && !schema.headers && { headers: IdempotencyKeyHeader }),
    ...shown,
    response: {
      ...(schema.response as object | undefined),
      ...documents?.response,
      ...problemResponses(codesOf(schema, route)),
    },
  }
}

/** A session may do everything; a key needs the scope, which OpenAPI can name here for OAuth only. */
function securityOf(access: Access | null): Record<string, string[]>[] {
  return [{ session: [] }, ...(access && access !== 'SESSION' ? [{ key: [] }] : [])]
}

function codesOf(schema: RouteSchema, { config, method }: RouteOptions): ProblemCode[] {
  const writes = !SAFE_METHODS.has(String(method))
  const groups = [
    config?.problems ?? [],
    config?.public ? [] : SIGNED_IN_ONLY,
    accessOf(config ?? {}, String(method)) === null ? [] : NOT_BY_EVERY_KEY,
    writes ? WRITING : [],
    schema.body || config?.documents?.body ? WITH_BODY : [],
    ALWAYS,
  ]
  return [...new Set(groups.flat())]
}

/** Adds response headers, which body schemas cannot describe. */
function addHeaders({ response = {} }: Described, schema: RouteSchema, route: RouteOptions): void {
  if (schema.hide) return
  for (const code of codesOf(schema, route)) {
    const answer = response[PROBLEMS[code].status]
    if (answer && PROBLEM_HEADERS[code]) answer.headers = { ...answer.headers, ...PROBLEM_HEADERS[code] }
  }
  for (const [status, headers] of Object.entries(route.config?.documents?.responseHeaders ?? {})) {
    const answer = response[status]
    if (answer) answer.headers = headers
  }
}

/** One response per status, which lists its codes. */
function problemResponses(codes: readonly ProblemCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [status, problemResponse(codes.filter((code) => PROBLEMS[code].status === status))]),
  )
}

function problemResponse(codes: readonly ProblemCode[]): object {
  const description = codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' ')
  return { description, content: { 'application/problem+json': { schema: Problem } } }
}

/** "getGroupClouds", "patchGroupCloudsId": method names in generated clients. */
function operationId({ method, url }: RouteOptions): string {
  const words = url.replace(/^\/api\/v1/, '').split(/[^a-zA-Z0-9]+/)
  const path = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return String(method).toLowerCase() + path
}
