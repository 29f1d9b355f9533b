/** Several entries, or a folder, as one ZIP; the browser fetches it. */
export function archiveUrl(ids: readonly string[]): string {
  return `/api/v1/files/archive?ids=${ids.map(encodeURIComponent).join(',')}`
}
