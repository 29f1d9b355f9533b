import { previewKind } from '../Preview/previewKind.ts'

/** Larger files are downloaded and edited elsewhere. */
export const MOST_EDITED_BYTES = 2 * 1024 * 1024

const EDITED = new Set(['text', 'markdown', 'json', 'delimited', 'svg'])

type File = {
  readonly kind: string
  readonly name: string
  readonly category: string
  readonly mimeType: string | null | undefined
  /** Bytes, as GraphQL sends them. */
  readonly size: number | string | null | undefined
  /** Null for what Skypool stores itself. */
  readonly rights?: unknown
}

/** Whether the editor is offered for a file: text of Skypool's own, of at most MOST_EDITED_BYTES. */
export function isEditable({ size, rights, ...file }: File): boolean {
  if (rights != null || size == null || Number(size) > MOST_EDITED_BYTES) return false
  // With any address, pictures and videos are what their content says: "clip.ts" can be a video.
  return EDITED.has(previewKind({ ...file, inlineUrl: 'any' }))
}
