const BY_TYPE: readonly [RegExp, string][] = [
  [/^image\//, 'IMAGE'],
  [/^video\//, 'VIDEO'],
  [/^audio\//, 'AUDIO'],
  [/^application\/pdf$/, 'PDF'],
  [/spreadsheet|ms-excel|^text\/csv$/, 'SPREADSHEET'],
  [/presentation|ms-powerpoint/, 'PRESENTATION'],
  [/wordprocessing|msword|opendocument\.text/, 'DOCUMENT'],
  [/^text\/|json$|xml$|javascript$/, 'TEXT'],
]

/** The schema's FileCategory of a file that is not on the server yet, by what the browser says of its type. */
export function fileCategory(mimeType: string): string {
  return BY_TYPE.find(([pattern]) => pattern.test(mimeType))?.[1] ?? 'OTHER'
}
