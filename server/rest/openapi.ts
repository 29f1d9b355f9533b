import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { JSONSchema } from 'zod/v4/core'
import type { Provider } from '../domain/accounts/contract.ts'
import type { Access } from '../domain/viewer.ts'
import { accessOf } from './access.ts'
import { complete } from './docs/complete.ts'
import type { OpenApi } from './docs/document.ts'
import { PROBLEMS, type ProblemCode } from './errors.ts'
import type { AnswerHeaders } from './request.ts'
import { Problem } from './schemas.ts'

type RouteSchema = NonNullable<RouteOptions['schema']>
/** A route's schema as the document's maker reads it. */
type Described = { readonly response?: Record<string, { headers?: AnswerHeaders }> }

/** Codes that every route can answer with, beside those of its own. */
const ALWAYS: readonly ProblemCode[] = ['INTERNAL']
const SIGNED_IN_ONLY: readonly ProblemCode[] = ['UNAUTHENTICATED', 'TOO_MANY_REQUESTS']
const NOT_BY_EVERY_KEY: readonly ProblemCode[] = ['KEY_REFUSED']
const WRITING: readonly ProblemCode[] = ['FOREIGN_ORIGIN', 'ORIGIN_REQUIRED']
const WITH_BODY: readonly ProblemCode[] = ['MALFORMED_BODY', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Headers that come with a code, as errors.ts and the routes send them. */
const PROBLEM_HEADERS: Partial<Record<ProblemCode, AnswerHeaders>> = {
  TOO_MANY_REQUESTS: { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } },
  UPLOAD_OFFSET_MISMATCH: { 'Upload-Offset': { type: 'integer', description: 'Where the upload continues.' } },
  RANGE_NOT_SATISFIABLE: { 'Content-Range': { type: 'string', description: '`bytes */` and the size.' } },
  STORAGE_FULL: { 'X-Free-Bytes': { type: 'integer', description: 'What there is room for.' } },
}

const DESCRIPTION = `Files, uploads and group clouds of one Skypool server.

Programs send \`Authorization: Bearer\` and an API key, which people make on the page API Keys; what each call needs of a key is
said with it. Browsers sign in with \`POST /api/v1/auth/login\`; the answer sets the session cookie. A call that changes something
and carries the cookie also needs the \`Origin\` header of this server. Errors are \`application/problem+json\` with
a stable \`code\`. Lists are \`{ items, nextCursor }\`: pass \`nextCursor\` as \`cursor\` to read on. Sizes are bytes, times are UTC.`

const IdempotencyKeyHeader = z.object({
  'idempotency-key': z
    .string()
    .max(255)
    .optional()
    .describe('Any text of your choice: repeating the request with it creates nothing twice (24 hours).'),
})

/** Bounds and patterns that only repeat what `integer` and `format` say. */
const zodToJsonConfig = {
  override({ jsonSchema }: { jsonSchema: JSONSchema.BaseSchema }) {
    if (jsonSchema.format) delete jsonSchema.pattern
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  },
}
const toJsonSchema = createJsonSchemaTransform({ zodToJsonConfig })
const withComponents = createJsonSchemaTransformObject({ zodToJsonConfig })

/** Documents every route that is registered on `app` from now on: the schemas that validate are the ones that are shown. */
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
            description: 'An API key; each operation names the scope that it needs.',
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
  // Every component comes twice, as it is sent and as it would be taken; ours are only ever sent.
  for (const name of Object.keys(components.schemas)) if (name.endsWith('Input')) delete components.schemas[name]
  for (const { responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const [status, response] of Object.entries(responses)) {
      if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? ''
    }
  }
}

/** A route's schema with what its config and the app's hooks add to it. */
function describe(schema: RouteSchema = {}, route: RouteOptions): RouteSchema {
  if (schema.hide) return schema
  const { public: isPublic, idempotent, documents } = route.config ?? {}
  const access = accessOf(route.config ?? {}, String(route.method))
  const { answerHeaders: _added, ...shown } = documents ?? {}
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

/** A session may do everything; a key needs the scope, which only OAuth could name here. */
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

/** Headers of answers, which the schemas of bodies cannot say. */
function addHeaders({ response = {} }: Described, schema: RouteSchema, route: RouteOptions): void {
  if (schema.hide) return
  for (const code of codesOf(schema, route)) {
    const answer = response[PROBLEMS[code].status]
    if (answer && PROBLEM_HEADERS[code]) answer.headers = { ...answer.headers, ...PROBLEM_HEADERS[code] }
  }
  for (const [status, headers] of Object.entries(route.config?.documents?.answerHeaders ?? {})) {
    const answer = response[status]
    if (answer) answer.headers = headers
  }
}

/** One response per status, naming its codes. */
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

/** "getGroupClouds", "patchGroupCloudsId": what generated clients call it. */
function operationId({ method, url }: RouteOptions): string {
  const words = url.replace(/^\/api\/v1/, '').split(/[^a-zA-Z0-9]+/)
  const path = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return String(method).toLowerCase() + path
}
