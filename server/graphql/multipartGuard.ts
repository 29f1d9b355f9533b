import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import { GraphQLError } from 'graphql'

type Accept = (path: readonly string[]) => void
type Refuse = (error: GraphQLError) => void

/**
 * The request as graphql-upload-minimal may see it. The library follows the paths of a `map` through inherited properties
 * too, so that one could overwrite a built-in (`variables.toString.call`): here a map is judged before the library has it.
 * `accept` is told the path of the file; `refuse` why there will be no operation, and then the parser fails.
 */
export function guarded(request: IncomingMessage, accept: Accept, refuse: Refuse): IncomingMessage {
  return new Proxy(request, {
    get(target, key) {
      if (key === 'pipe') return (parser: Writable) => target.pipe(watch(parser, accept, refuse))
      if (key === 'headers') return plainType(target.headers)
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The library knows the type in lower case alone, with the semicolon right behind it. */
function plainType(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const type = headers['content-type']?.replace(/^multipart\/form-data\s*;/i, 'multipart/form-data;')
  return { ...headers, 'content-type': type }
}

function watch(parser: Writable, accept: Accept, refuse: Refuse): Writable {
  const emit = parser.emit.bind(parser)
  const fields = new Map<unknown, unknown>()
  parser.emit = (event: string | symbol, ...args: unknown[]) => {
    const [name, value, info] = args
    // Once destroyed, the library has refused already, for a reason of its own.
    if (event === 'filesLimit' && !parser.destroyed) refuse(malformed('Only one file per request is accepted.', 413))
    if (event !== 'field' || parser.destroyed || isTruncated(info)) return emit(event, ...args)
    fields.set(name, value)
    try {
      if (name === 'map') accept(pathIn(fields))
    } catch (error) {
      refuse(error as GraphQLError)
      parser.destroy(error as GraphQLError)
      return true
    }
    return emit(event, ...args)
  }
  // busboy tells of a malformed part twice and the library listens once: the second time would end the process.
  parser.on('error', () => {})
  return parser
}

function isTruncated(info: unknown): boolean {
  return isRecord(info) && info.valueTruncated === true
}

/** Where the operation wants its file; empty when the map names none. @throws GraphQLError unless that is null in a variable */
function pathIn(fields: ReadonlyMap<unknown, unknown>): readonly string[] {
  const operation = jsonObject(fields.get('operations'), 'operations')
  const [entry, second] = Object.entries(jsonObject(fields.get('map'), 'map'))
  if (second) throw malformed('Only one file per request is accepted.')
  if (!entry) return []
  const [field, paths] = entry
  if (!Array.isArray(paths) || paths.length !== 1) throw malformed(`“${field}” must be mapped to one path.`)
  const path = String(paths[0])
  const steps = path.split('.')
  if (steps.length < 2 || steps[0] !== 'variables' || ownValueAt(operation, steps) !== null) {
    throw malformed(`The path “${path}” of the map is not a variable whose value is null.`)
  }
  return steps
}

function jsonObject(text: unknown, field: string): Record<string, unknown> {
  if (text === undefined) throw malformed(`The field “${field}” is missing; it must come before the file.`)
  try {
    const value: unknown = JSON.parse(String(text))
    if (isRecord(value)) return value
  } catch {
    throw malformed(`The field “${field}” is not valid JSON.`)
  }
  throw malformed(`The field “${field}” must be one JSON object.`)
}

/** What is at the end of a path of own properties; undefined when it leaves them, or leads through a list. */
export function ownValueAt(root: unknown, path: readonly string[]): unknown {
  let at = root
  for (const step of path) {
    if (!isRecord(at) || !Object.hasOwn(at, step)) return undefined
    at = at[step]
  }
  return at
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function malformed(message: string, status = 400): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'MALFORMED_BODY', http: { status } } })
}
