import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import busboy, { type Busboy } from 'busboy'
import { InvalidInputError } from '../domain/errors.ts'
import { HttpError } from './errors.ts'

/** The file part of a multipart body, with the fields that came before it. */
export type MultipartFile = {
  /** undefined: the part carried no file name. */
  readonly name: string | undefined
  readonly mimeType: string
  readonly fields: Readonly<Record<string, string>>
  /** Breaks with an error when the body ends before the part does. */
  readonly body: Readable
  /** Stops parsing; what is left of the request is dropped. */
  letGo(): void
}

const LIMITS = { fields: 10, fieldSize: 10 * 1024, fieldNameSize: 100, files: 1, headerPairs: 20 }
/** Large reads between the socket and the disk. */
const BUFFER_BYTES = 512 * 1024

/** Reads up to the part `file`, which is left to the caller as a stream. @throws InvalidInputError, HttpError */
export function readFirstFile(request: IncomingMessage): Promise<MultipartFile> {
  const parser = createParser(request)
  const fields: Record<string, string> = {}
  const letGo = () => {
    request.unpipe(parser)
    parser.destroy()
  }
  return new Promise((resolve, reject) => {
    let found = false
    const refuse = (error: Error) => {
      letGo()
      reject(error)
    }
    parser.on('field', (name, value) => {
      fields[name] = value
    })
    parser.on('file', (field, body, { filename, mimeType }) => {
      // Until somebody reads it, nobody listens: a broken body must not end the process.
      body.on('error', () => undefined)
      if (field !== 'file') return refuse(noFile())
      found = true
      resolve({ name: filename as string | undefined, mimeType, fields, body, letGo })
    })
    parser.on('error', (cause: Error) => refuse(malformed(cause)))
    parser.on('close', () => found || reject(noFile()))
    // pipe() passes no errors on: without this a cut connection would leave the file part waiting for ever.
    request.on('close', () => {
      if (!request.complete) parser.destroy(new Error('The request broke off.'))
    })
    request.pipe(parser)
  })
}

/** @throws HttpError when the content type names no boundary */
function createParser(request: IncomingMessage): Busboy {
  try {
    const options = { limits: LIMITS, defParamCharset: 'utf8', highWaterMark: BUFFER_BYTES, fileHwm: BUFFER_BYTES }
    return busboy({ headers: request.headers, ...options })
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): HttpError {
  const error = new HttpError('MALFORMED_BODY', 'The multipart body is malformed. Please check its boundary and parts.')
  error.cause = cause
  return error
}

function noFile(): InvalidInputError {
  return new InvalidInputError([
    { path: 'file', message: 'Please send the file as the form field “file”, after all others.' },
  ])
}
