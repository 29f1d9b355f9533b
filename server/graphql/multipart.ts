import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { GraphQLError } from 'graphql'
import { type FileUpload, processRequest, Upload } from 'graphql-upload-minimal'
import type { GraphQLParams } from 'graphql-yoga'
import { InvalidInputError, UploadIncompleteError } from '../domain/errors.ts'
import { guarded, malformed, ownValueAt } from './multipartGuard.ts'

/** A second file could not be read before the first is, so an operation that wants it first would wait for ever. */
const LIMITS = { maxFieldSize: 1024 * 1024, maxFiles: 1 }

const taken = new WeakSet<FileUpload>()

/** The operation and, for after its execution, what lets the rest of the request pass unread. */
export type MultipartOperation = { readonly params: GraphQLParams; readonly release: () => void }

/**
 * Reads a GraphQL multipart request up to its file: `operations`, then `map`, then the file, which stays a stream.
 * Where the operation had null for the file it now holds the library's `Upload`, whose `file` has arrived.
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
 * The bytes of a file, once. The stream fails when the request breaks off.
 * @throws InvalidInputError the second time, UploadIncompleteError when the request has broken off already
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

/** The library's own refusals carry a status; its 499 and 500, and what its parser throws, are the client's fault too. */
function presentable(error: unknown): GraphQLError {
  if (!(error instanceof Error) || !('status' in error)) return malformed('The multipart request is malformed.')
  if (error.status === 413) return malformed(error.message, 413)
  return malformed(error.status === 400 ? error.message : 'The multipart request is malformed.')
}
