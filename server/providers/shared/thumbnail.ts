import type { HttpResponse } from './http.ts'

/** Of a small picture that a service sends; larger ones are not read. */
export const MAX_THUMBNAIL_BYTES = 2 * 1024 * 1024

/**
 * The picture in a response, for Driver.thumbnail; null when it is not one, or too large. Consumes the response.
 * @throws ProviderError Transient when it stalls or ends early
 */
export async function thumbnailIn(response: HttpResponse): Promise<Buffer | null> {
  const isPicture = response.status === 200 && response.header('content-type')?.startsWith('image/') === true
  if (!isPicture || Number(response.header('content-length') ?? 0) > MAX_THUMBNAIL_BYTES) return refuse(response)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_THUMBNAIL_BYTES) return refuse(response)
    chunks.push(chunk)
  }
  return length === 0 ? null : Buffer.concat(chunks)
}

function refuse(response: HttpResponse): null {
  response.dispose()
  return null
}
