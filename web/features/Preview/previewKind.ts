export type PreviewKind = 'image' | 'svg' | 'pdf' | 'video' | 'audio' | 'markdown' | 'text' | 'none'

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
  /\.(txt|md|markdown|csv|tsv|log|json|xml|ya?ml|toml|ini|html?|svg|css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|sh|sql)$/i

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
  if (inlineUrl && category === 'IMAGE') return 'image'
  if (inlineUrl && category === 'PDF') return 'pdf'
  if (inlineUrl && category === 'VIDEO') return 'video'
  if (inlineUrl && category === 'AUDIO') return 'audio'
  return category === 'TEXT' || TEXT_TYPES.test(mimeType ?? '') || TEXT_ENDINGS.test(name) ? 'text' : 'none'
}
