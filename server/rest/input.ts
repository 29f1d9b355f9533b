import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { type FieldError, InvalidInputError } from '../domain/errors.ts'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/**
 * Parses JSON, but takes an empty body for none: many clients send `Content-Type: application/json` with every request, a
 * DELETE too. Routes that need a body refuse that.
 */
export function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body, done)
  })
}

/** Validates requests. All invalid fields are in one InvalidInputError, with plain messages where the schema has none. */
export const inputValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (data) => {
    const result = schema.safeParse(data, { error: messageOf })
    if (result.success) return { value: result.data }
    const { issues } = result.error
    const fields = httpPart === 'querystring' ? parametersOf(issues) : issues.flatMap(fieldsOf)
    return { error: new InvalidInputError(fields, fields.map(sentenceOf).join(' ')) }
  }
}

function fieldsOf(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  const prefix = path && `${path}.`
  return issue.keys.map((key) => ({ path: `${prefix}${key}`, message: 'Unknown field.' }))
}

/** The values that a parameter lists have no names: each parameter is named once, with its first message. */
function parametersOf(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const byName = new Map<string, FieldError>()
  for (const issue of issues) {
    const [name] = issue.path
    const fields = name === undefined ? fieldsOf(issue) : [{ path: String(name), message: issue.message }]
    for (const field of fields) if (!byName.has(field.path)) byName.set(field.path, field)
  }
  return [...byName.values()]
}

/** A missing body, or one of the wrong type, has an empty path. */
function sentenceOf({ path, message }: FieldError): string {
  if (path !== '') return `${path}: ${message}`
  return message === MISSING ? 'This request needs a body, as application/json.' : message
}

const MISSING = 'This field is required.'

const TYPES: Readonly<Record<string, string>> = {
  string: 'This must be a text.',
  number: 'This must be a number.',
  int: 'This must be a whole number.',
  boolean: 'This must be true or false.',
  array: 'This must be a list.',
  object: 'This must be an object.',
  record: 'This must be an object.',
}

/** A sentence about an invalid value; undefined: the library's own. */
function messageOf(issue: Issue): string | undefined {
  // Fastify has null for no body.
  const isMissing = issue.input === undefined || (issue.input === null && !issue.path?.length)
  if (issue.code === 'invalid_type') return isMissing ? MISSING : TYPES[issue.expected]
  if (issue.code === 'invalid_value') {
    const choice = `Possible values: ${issue.values.map(String).join(', ')}.`
    return isMissing ? `${MISSING} ${choice}` : choice
  }
  if (issue.code === 'invalid_format' && issue.format === 'datetime') {
    return 'This must be a time in UTC, such as 2026-01-31T12:00:00Z.'
  }
  if (issue.code === 'too_small') return limitOf(issue.origin, 'at least', Number(issue.minimum))
  if (issue.code === 'too_big') return limitOf(issue.origin, 'at most', Number(issue.maximum))
  return undefined
}

function limitOf(origin: string, bound: 'at least' | 'at most', limit: number): string {
  const plural = limit === 1 ? '' : 's'
  if (origin === 'string') return `This must have ${bound} ${limit} character${plural}.`
  if (origin === 'array') return `This must have ${bound} ${limit} item${plural}.`
  return `This must be ${bound} ${limit}.`
}
