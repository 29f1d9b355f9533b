import { serverText } from '../../lib/serverText.ts'

/** A content, its ETag, and when it was written (Unix ms; null: unknown). */
export type Content = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly writtenAt: number | null
}

/** The server refused, and says why. `status` 412: the file has another content than the one that was read. */
export class ContentRefused extends Error {
  override readonly name = 'ContentRefused'
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

const PATH = '/api/v1/files'

/**
 * The content of a file; null when it is still the one of `known`. @throws ContentRefused, TypeError when the server cannot be reached
 */
export async function readContent(downloadUrl: string, known?: string, signal?: AbortSignal): Promise<Content | null> {
  const response = await fetch(`${downloadUrl}?disposition=inline`, {
    cache: 'no-store',
    ...(known !== undefined && { headers: { 'If-None-Match': known } }),
    ...(signal && { signal }),
  })
  if (response.status === 304) return null
  await refuse(response)
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    etag: response.headers.get('ETag') ?? '',
    writtenAt: Date.parse(response.headers.get('Last-Modified') ?? '') || null,
  }
}

/**
 * Replaces the content of a file if it is still the one of `base`; what it had becomes an earlier version. @returns the new ETag
 * @throws ContentRefused, TypeError when the server cannot be reached
 */
export async function writeContent(id: string, bytes: Uint8Array<ArrayBuffer>, base: string): Promise<string> {
  const response = await fetch(`${PATH}/${encodeURIComponent(id)}/content?source=editor`, {
    method: 'PUT',
    headers: { 'If-Match': base, 'Content-Type': 'application/octet-stream' },
    body: bytes,
  })
  await refuse(response)
  const { sha256 } = (await response.json()) as { readonly sha256: string }
  return `"${sha256}"`
}

type NewFile = {
  readonly name: string
  readonly parentId: string | null
  readonly bytes: Uint8Array<ArrayBuffer>
  /** If the name is taken: `rename` adds a number, `fail` refuses with 409. */
  readonly onConflict: 'rename' | 'fail'
}

/** A file that was created, and the ETag of its content. */
export type NewContent = { readonly id: string; readonly etag: string }

/** Creates a file. @throws ContentRefused, TypeError when the server cannot be reached */
export async function createFile({ name, parentId, bytes, onConflict }: NewFile): Promise<NewContent> {
  const form = new FormData()
  if (parentId !== null) form.set('parentId', parentId)
  form.set('onConflict', onConflict)
  form.set('file', new File([bytes], name))
  const response = await fetch(PATH, { method: 'POST', body: form })
  await refuse(response)
  const { id, sha256 } = (await response.json()) as { readonly id: string; readonly sha256: string }
  return { id, etag: `"${sha256}"` }
}

async function refuse(response: Response): Promise<void> {
  if (response.ok) return
  const problem = (await response.json().catch(() => null)) as { detail?: string; title?: string } | null
  const said = problem?.detail ?? problem?.title
  throw new ContentRefused(
    response.status,
    said ? serverText(said) : `The server answered with status ${response.status}.`,
  )
}
