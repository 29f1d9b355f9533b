/** The bytes of the share itself; of a folder, a ZIP. */
export const shareUrl = (shareId: string): string => `/api/v1/shares/${encodeURIComponent(shareId)}/download`

/** The bytes of an entry of a shared folder; of a folder in it, a ZIP. */
export const entryUrl = (shareId: string, fileId: string): string =>
  `/api/v1/shares/${encodeURIComponent(shareId)}/files/${encodeURIComponent(fileId)}/download`

/** The small picture at this path of a shared file; null where there is none. */
export const thumbnailUrl = (shareId: string, path: string | null | undefined): string | null =>
  path ? `/api/v1/shares/${encodeURIComponent(shareId)}/${path}` : null

/** The same bytes, to be shown in place; the server refuses types that a browser would run. */
export const inline = (url: string): string => `${url}?disposition=inline`
