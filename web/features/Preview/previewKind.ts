export type PreviewKind =
  | 'image'
  | 'svg'
  | 'pdf'
  | 'video'
  | 'audio'
  | 'markdown'
  | 'text'
  | 'none'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'delimited'
  | 'json'
  | 'font'
  | 'zip'
  | 'tar'
  | 'tgz'
  | 'epub'

type Shown = {
  readonly kind: string
  readonly name: string
  readonly category: string
  readonly mimeType: string | null | undefined
  /** Null if the server does not serve this type inline. */
  readonly inlineUrl: string | null | undefined
}

const TEXT_TYPES = /^text\/|[/+](json|xml|yaml|javascript|typescript|x-sh|toml|sql)$/
const TEXT_ENDINGS =
  /\.(txt|md|markdown|log|xml|ya?ml|toml|ini|html?|svg|css|scss|less|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|lua|php|pl|r|cs|c|h|cpp|hpp|sh|bash|sql|graphql|diff|patch|mk)$/i

/** The end of the name decides: a docx is a ZIP, and detected types say so. */
const BY_ENDING: readonly (readonly [RegExp, PreviewKind])[] = [
  [/\.(docx|docm)$/i, 'docx'],
  [/\.(pptx|pptm|ppsx)$/i, 'pptx'],
  [/\.(xlsx|xlsm)$/i, 'xlsx'],
  [/\.(csv|tsv)$/i, 'delimited'],
  [/\.(json|geojson)$/i, 'json'],
  [/\.(woff2?|ttf|otf)$/i, 'font'],
  [/\.epub$/i, 'epub'],
  [/\.(zip|jar|cbz)$/i, 'zip'],
  [/\.tar$/i, 'tar'],
  [/\.(tgz|tar\.gz)$/i, 'tgz'],
]
/** For names without an ending that is known. */
const BY_TYPE: Readonly<Record<string, PreviewKind>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/csv': 'delimited',
  'text/tab-separated-values': 'delimited',
  'application/json': 'json',
  'application/epub+zip': 'epub',
  'application/zip': 'zip',
  'application/x-tar': 'tar',
}

/**
 * How a file is shown. HTML, which a browser would run, is text and nothing else; SVG is drawn as an image, in which a
 * browser runs and loads nothing; pictures, PDF, video and audio are shown only from the address that the server made
 * safe for it.
 */
export function previewKind({ kind, name, category, mimeType, inlineUrl }: Shown): PreviewKind {
  if (kind === 'FOLDER') return 'none'
  if (mimeType === 'image/svg+xml') return 'svg'
  if (/html/.test(mimeType ?? '')) return 'text'
  if (/\.(md|markdown)$/i.test(name) || mimeType === 'text/markdown') return 'markdown'
  const inline = inlineUrl ? INLINE[category] : undefined
  if (inline) return inline
  const byEnding = BY_ENDING.find(([ending]) => ending.test(name))?.[1]
  if (byEnding) return byEnding
  if (TEXT_ENDINGS.test(name)) return 'text'
  const byType = Object.hasOwn(BY_TYPE, mimeType ?? '') ? BY_TYPE[mimeType ?? ''] : undefined
  return byType ?? (category === 'TEXT' || TEXT_TYPES.test(mimeType ?? '') ? 'text' : 'none')
}

const INLINE: Readonly<Record<string, PreviewKind>> = { IMAGE: 'image', PDF: 'pdf', VIDEO: 'video', AUDIO: 'audio' }
