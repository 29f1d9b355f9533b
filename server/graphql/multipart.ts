import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { InvalidInputError } from '../domain/errors.ts'

const MAX_FIELD_BYTES = 1024 * 1024
const FIELDS = 2
/** A second file could not be read before the first is, so an operation that wants it first would wait for ever. */
const FILES = 1

/** The file of a multipart request, still arriving. */
export class UploadedFile {
  #taken = false
  readonly name: string
  readonly mimeType: string
  readonly #stream: Readable

  constructor(name: string, mimeType: string, stream: Readable) {
    this.name = name
    this.mimeType = mimeType
    this.#stream = stream
  }

  /** The bytes, once. It fails when the request breaks off. @throws InvalidInputError the second time */
  take(): Readable {
    if (this.#taken) throw new InvalidInputError([{ path: 'file', message: 'One file can be used once per request.' }])
    this.#taken = true
    return this.#stream
  }
}

/** The operation and, for after its execution, what lets the rest of the request pass unread. */
export type MultipartOperation = { readonly params: GraphQLParams; readonly release: () => void }

/**
 * Reads a GraphQL multipart request up to its file: `operations`, then `map`, then the file, which stays a stream.
 * (github.com/jaydenseric/graphql-multipart-request-spec; one operation and at most one file.)
 * @throws GraphQLError with the HTTP status
 */
export function readMultipart(request: IncomingMessage): Promise<MultipartOperation> {
  return new Promise((resolve, reject) => {
    const parser = createParser(request)
    const fields = new Map<string, string>()
    const release = () => {
      request.unpipe(parser)
      request.resume()
    }
    const refuse = (error: unknown) => {
      release()
      parser.destroy()
      reject(error instanceof GraphQLError ? error : malformed('The multipart request is malformed.'))
    }
    const finish = (file: { field: string; value: UploadedFile } | null) => {
      try {
        resolve({ params: operationOf(fields, file), release })
      } catch (error) {
        refuse(error)
      }
    }
    parser.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) refuse(malformed(`The field “${name}” is too long.`, 413))
      fields.set(name, value)
    })
    parser.on('file', (field, stream, { filename, mimeType }) => {
      // Whoever takes the stream sees its failure; one that nobody took may fail unseen.
      stream.on('error', () => {})
      finish({ field, value: new UploadedFile(filename ?? '', mimeType, stream) })
    })
    parser.on('filesLimit', () => refuse(malformed('Only one file per request is accepted.', 413)))
    parser.on('close', () => finish(null))
    parser.on('error', refuse)
    request.once('close', () => {
      if (!request.complete) parser.destroy(new Error('The client went away before the end of the file.'))
    })
    request.pipe(parser)
  })
}

function createParser(request: IncomingMessage): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { fieldSize: MAX_FIELD_BYTES, fields: FIELDS, files: FILES, fieldNameSize: 100, headerPairs: 20 },
    })
  } catch {
    throw malformed('The content type of the multipart request has no boundary.')
  }
}

function operationOf(fields: Map<string, string>, file: { field: string; value: UploadedFile } | null): GraphQLParams {
  const operation = jsonObject(fields.get('operations'), 'operations')
  const map = jsonObject(fields.get('map'), 'map')
  for (const [field, paths] of Object.entries(map)) {
    if (field !== file?.field) throw malformed(`The file “${field}” is missing.`)
    if (!Array.isArray(paths) || paths.length !== 1) throw malformed(`“${field}” must be mapped to one path.`)
    place(operation, String(paths[0]), file.value)
  }
  return operation as GraphQLParams
}

function jsonObject(text: string | undefined, field: string): Record<string, unknown> {
  if (text === undefined) throw malformed(`The field “${field}” is missing; it must come before the file.`)
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    throw malformed(`The field “${field}” is not valid JSON.`)
  }
  throw malformed(`The field “${field}” must be one JSON object.`)
}

/** Puts the file where the operation has null for it, and nowhere else: a path must not reach what all objects inherit. */
function place(operation: Record<string, unknown>, path: string, file: UploadedFile): void {
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let at: unknown = operation
  for (const step of steps) at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined
  if (steps[0] !== 'variables' || !isRecord(at) || !Object.hasOwn(at, last) || at[last] !== null) {
    throw malformed(`The path “${path}” of the map is not a variable whose value is null.`)
  }
  at[last] = file
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(message: string, status = 400): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'MALFORMED_BODY', http: { status } } })
}
