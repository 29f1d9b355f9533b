import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { JsonSchema, OpenApi, Operation } from '../../server/rest/docs/document.ts'
import { PROBLEMS, type ProblemCode } from '../../server/rest/errors.ts'
import { type Answer, createBrowser } from './browser.ts'

export type Contract = {
  /** Of the document, as "GET /api/v1/files/{id}". */
  readonly operations: ReadonlyMap<string, Operation>
  /** Fails unless the operation's documented answer of this status has this type, these headers and a body of this shape. */
  expectDocumented(operation: string, answer: Answer): void
  /** Fails unless it is this problem, whole, with the headers of every problem; of an operation: a documented one. */
  expectProblem(operation: string | null, code: ProblemCode, answer: Answer): void
}

/** What a running server's /api/v1/openapi.json promises. */
export async function readContract(url: string): Promise<Contract> {
  const { status, body } = await createBrowser(url).request('GET', '/api/v1/openapi.json')
  expect(status).toBe(200)
  return createContract(body)
}

function createContract(document: OpenApi): Contract {
  const validatorOf = createValidators(document)
  const operations = operationsOf(document)

  function expectDocumented(name: string, answer: Answer): void {
    const response = operations.get(name)?.responses[answer.status]
    const shown = `${name} ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}`
    if (!response) throw new Error(`Not documented: ${shown}`)
    for (const [header, { schema }] of Object.entries(response.headers ?? {})) {
      const value = answer.headers.get(header)
      // Several problems share a status; which of its headers one has is the table's to know.
      if (value === null && answer.status >= 400) continue
      expectValid(validatorOf(schema), schema.type === 'integer' ? Number(value) : value, `${header} of ${shown}`)
    }
    const type = answer.headers.get('content-type')?.split(';', 1)[0]
    // What a 304 says of the bytes is about those that the client has.
    if (!response.content) {
      expect([answer.status === 304 || !type, answer.body], shown).toEqual([true, ''])
      return
    }
    const schema = (response.content[String(type)] ?? response.content['*/*'])?.schema
    if (!schema) throw new Error(`${type} is not documented: ${shown}`)
    expectValid(validatorOf(schema), answer.body, shown)
  }

  return {
    operations,
    expectDocumented,
    expectProblem(name, code, answer) {
      expectWholeProblem(code, answer)
      expectValid(validatorOf({ $ref: '#/components/schemas/Problem' }), answer.body, code)
      if (name === null) return
      expectDocumented(name, answer)
      expect(operations.get(name)?.responses[answer.status]?.description, name).toContain(`\`${code}\``)
    },
  }
}

function operationsOf({ paths }: OpenApi): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )
}

/** Schemas of the document, with its components in reach. */
/**
 * The document leaves answers open, for fields of newer versions; what this version answers is judged exactly: no field that
 * the document does not name.
 */
function closed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.properties && value.type === 'object' ? { additionalProperties: false, ...value } : value,
  )
}

function createValidators({ components }: OpenApi): (schema: JsonSchema) => ValidateFunction {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addSchema({ $id: 'openapi', components: closed(components as JsonSchema) })
  return (schema) =>
    ajv.compile(JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"openapi#/')) as JsonSchema)
}

function expectValid(validate: ValidateFunction, value: unknown, what: string): void {
  expect(validate(value), `${what}\n${JSON.stringify(validate.errors)}`).toBe(true)
}

function expectWholeProblem(code: ProblemCode, { status, headers, body }: Answer): void {
  expect(body).toMatchObject({ code, ...PROBLEMS[code], type: `/api/v1/docs#${code}` })
  expect(status).toBe(body.status)
  expect(body.detail).toMatch(/^\S.{8,}\S$/s)
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
}
