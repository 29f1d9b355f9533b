import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import busboy, { type Busboy } from 'busboy'
import type { FastifyInstance } from 'fastify'
import { InvalidInputError } from '../domain/errors.ts'
import { HttpError } from './errors.ts'

/** The file part of a multipart body, with the fields before it. */
export type MultipartFile = {
  /** undefined: the part has no file name. */
  readonly name: string | undefined
  readonly mimeType: string
  readonly fields: Readonly<Record<string, string>>
  /** Ends with the form. Fails with an error when the form ends too early, or when what follows the file refuses it. */
  readonly body: Readable
  /** Stops parsing and discards the rest of the request. */
  release(): void
}

const LIMITS = { fields: 10, fieldSize: 10 * 1024, fieldNameSize: 100, files: 1, headerPairs: 20 }
/** Large reads between the socket and the disk. */
const BUFFER_BYTES = 512 * 1024
/** Up to this size a body is read and discarded after an early response; a client that is still sending might not see it otherwise. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * Parses up to the part `file`, whose stream the caller consumes. The stream fails with an InvalidInputError when another file follows,
 * or one of the fields `options`: the file was placed without it. Other fields are ignored anywhere. A value of `options` that is too
 * long and a form with too many fields are refused.
 * @throws InvalidInputError, HttpError
 */
export function readFirstFile(request: IncomingMessage, options: readonly string[]): Promise<MultipartFile> {
  const parser = createParser(request)
  const fields: Record<string, string> = {}
  const release = () => {
    request.unpipe(parser)
    parser.destroy()
  }
  return new Promise((resolve, reject) => {
    let found = false
    const refuse = (error: Error) => {
      release()
      reject(error)
    }
    // Before the file, at once: a short form is parsed to its end in the same turn.
    const end = endOf(parser, options, (error) => found || refuse(error))
    parser.on('field', (name, value) => {
      fields[name] = value
    })
    parser.on('file', (field, body, { filename, mimeType }) => {
      // Nothing else listens until the stream is consumed, and an unhandled error would end the process.
      body.on('error', () => undefined)
      if (field !== 'file') return refuse(noFile())
      found = true
      const name = filename as string | undefined
      resolve({ name, mimeType, fields: { ...fields }, body: Readable.from(endingWith(body, end)), release })
    })
    parser.on('error', (cause: Error) => refuse(malformed(cause)))
    parser.on('close', () => found || reject(noFile()))
    // pipe() does not forward errors: without this the file part would hang after a lost connection.
    request.on('close', () => {
      if (!request.complete) parser.destroy(new Error('The connection was lost during the request.'))
    })
    request.pipe(parser)
  })
}

/**
 * Resolves when the whole form was parsed. `onRefused` is called at once with the error that it throws later.
 * @throws InvalidInputError for what must not be in a form, or follow its file, Error when the form breaks off
 */
function endOf(parser: Busboy, options: readonly string[], onRefused: (error: Error) => void): Promise<void> {
  const end = new Promise<void>((resolve, reject) => {
    const refuse = (path: string, message: string) => {
      const error = new InvalidInputError([{ path, message }])
      onRefused(error)
      reject(error)
    }
    parser.on('field', (name, _value, { valueTruncated }) => {
      if (valueTruncated && options.includes(name)) {
        refuse(name, `The field “${name}” is too long: at most ${LIMITS.fieldSize} bytes are accepted.`)
      }
    })
    // Fields beyond the limit are not reported: one of the options could be among them.
    parser.on('fieldsLimit', () =>
      refuse('fields', `At most ${LIMITS.fields} fields are accepted in addition to the file.`),
    )
    parser.once('file', () => {
      parser.on('field', (name) => {
        if (options.includes(name)) refuse(name, `Please send the field “${name}” before the file.`)
      })
    })
    parser.on('filesLimit', () => refuse('file', 'Only one file per request is accepted.'))
    parser.once('finish', resolve)
    parser.once('close', () => reject(new Error('The form ended before its last boundary.')))
  })
  // Read after the file, if that is read to its end.
  end.catch(() => undefined)
  return end
}

async function* endingWith(file: Readable, end: Promise<void>): AsyncGenerator<Buffer> {
  yield* file
  await end
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

/**
 * After a response that precedes the end of its body: closes the connection if the body is large or of unknown length, else reads
 * the rest. Node discards only bodies whose reading was not started; otherwise the connection would hang.
 */
export function closeAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.readableEnded) return
    const announced = Number(raw.headers['content-length'] ?? (raw.complete ? 0 : Number.POSITIVE_INFINITY))
    if (announced > MAX_DISCARDED_BYTES) reply.header('connection', 'close')
    raw.resume()
  })
}
