import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { GraphQLError } from 'graphql'
import { type FileUpload, processRequest, Upload } from 'graphql-upload-minimal'
import type { GraphQLParams } from 'graphql-yoga'
import { InvalidInputError, UploadIncompleteError } from '../domain/errors.ts'

/** Files arrive one after another, so an operation that reads the second one first would never finish: one file only. */
const LIMITS = { maxFieldSize: 1024 * 1024, maxFiles: 1 }

const taken = new WeakSet<FileUpload>()

/** The operation; `release` discards the rest of the request after execution. */
export type MultipartOperation = { readonly params: GraphQLParams; readonly release: () => void }

/**
 * Reads a GraphQL multipart request up to its file: `operations`, then `map`, then the file, which stays a stream.
 * In `params` the null of the file's variable is replaced by the library's `Upload`, whose `file` has arrived.
 * (github.com/jaydenseric/graphql-multipart-request-spec; one operation and at most one file.)
 * @throws GraphQLError with the HTTP status
 */
export function readMultipart(request: IncomingMessage, response: ServerResponse): Promise<MultipartOperation> {
  const release = () => {
    request.unpipe()
    request.resume()
  }
  return new Promise((resolve, reject) => {
    let path: readonly string[] = []
    const accept = (mapped: readonly string[]) => {
      path = mapped
    }
    const read = async () => {
      const params = await processRequest(guarded(request, accept, reject), response, LIMITS)
      const upload = ownValueAt(params, path)
      if (upload instanceof Upload) await upload.promise
      resolve({ params: params as GraphQLParams, release })
    }
    read().catch((error) => reject(presentable(error)))
  })
}

/**
 * The bytes of a file; can be called once. The stream fails when the request is aborted.
 * @throws InvalidInputError the second time, UploadIncompleteError when the request was aborted before
 */
export function takeFile(file: FileUpload): Readable {
  if (taken.has(file)) {
    throw new InvalidInputError([{ path: 'file', message: 'One file can be used once per request.' }])
  }
  taken.add(file)
  try {
    return file.createReadStream()
  } catch (cause) {
    throw new UploadIncompleteError('The upload broke off before its end. Please try again.', { cause })
  }
}

/** The library's errors have a status; 499, 500 and parser errors are client errors too. */
function presentable(error: unknown): GraphQLError {
  if (!(error instanceof Error) || !('status' in error)) return malformed('The multipart request is malformed.')
  if (error.status === 413) return malformed(error.message, 413)
  return malformed(error.status === 400 ? error.message : 'The multipart request is malformed.')
}

type Accept = (path: readonly string[]) => void
type Refuse = (error: GraphQLError) => void

/**
 * Wraps a request for graphql-upload-minimal. The library follows the paths of a `map` through inherited properties too, so
 * that a request could overwrite a built-in (`variables.toString.call`): this checks the map before the library reads it.
 * `accept` is called with the path of the file; `refuse` with the error, after which the parser fails.
 */
function guarded(request: IncomingMessage, accept: Accept, refuse: Refuse): IncomingMessage {
  return new Proxy(request, {
    get(target, key) {
      if (key === 'pipe') return (parser: Writable) => target.pipe(watch(parser, accept, refuse))
      if (key === 'headers') return plainType(target.headers)
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The library expects the type in lower case, directly followed by the semicolon. */
function plainType(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const type = headers['content-type']?.replace(/^multipart\/form-data\s*;/i, 'multipart/form-data;')
  return { ...headers, 'content-type': type }
}

function watch(parser: Writable, accept: Accept, refuse: Refuse): Writable {
  const emit = parser.emit.bind(parser)
  const fields = new Map<unknown, unknown>()
  parser.emit = (event: string | symbol, ...args: unknown[]) => {
    const [name, value, info] = args
    // When the parser is destroyed, the library has already refused the request.
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
  // busboy emits two errors for a malformed part and the library handles one: an unhandled second one would end the process.
  parser.on('error', () => {})
  return parser
}

function isTruncated(info: unknown): boolean {
  return isRecord(info) && info.valueTruncated === true
}

/** Path of the file's variable; empty when the map is empty. @throws GraphQLError when the variable is not null */
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

/** The value at a path of own properties; undefined for inherited properties and lists. */
function ownValueAt(root: unknown, path: readonly string[]): unknown {
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

function malformed(message: string, status = 400): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'MALFORMED_BODY', http: { status } } })
}
