import { Download } from 'lucide-react'
import { type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { late } from '../../lib/lateCode.ts'
import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { ImagePreview } from './ImagePreview.tsx'
import { messages } from './messages.ts'
import styles from './Preview.module.css'
import { reasonOfElement } from './previewError.ts'
import { type PreviewKind, previewKind } from './previewKind.ts'
import { SvgPreview } from './SvgPreview.tsx'
import { TextPreview } from './TextPreview.tsx'
import type { ContentProps } from './useContent.ts'
import { Waiting } from './Waiting.tsx'

const OfficePreview = late(() => import('./office/OfficePreview.tsx').then((file) => file.OfficePreview))
const WorkbookPreview = late(() => import('./table/WorkbookPreview.tsx').then((file) => file.WorkbookPreview))
const DelimitedPreview = late(() => import('./table/DelimitedPreview.tsx').then((file) => file.DelimitedPreview))
const ArchivePreview = late(() => import('./archive/ArchivePreview.tsx').then((file) => file.ArchivePreview))
const EpubPreview = late(() => import('./epub/EpubPreview.tsx').then((file) => file.EpubPreview))
const JsonPreview = late(() => import('./text/JsonPreview.tsx').then((file) => file.JsonPreview))
const FontPreview = late(() => import('./FontPreview.tsx').then((file) => file.FontPreview))

/** Larger JSON is shown as text. */
const MOST_JSON_BYTES = 4 * 1024 * 1024

export type PreviewedFile = {
  readonly kind: string
  readonly name: string
  readonly category: string
  readonly mimeType: string | null | undefined
  readonly size: number
  /** Null if the server does not serve this type inline. */
  readonly inlineUrl: string | null | undefined
  /** Where the content is read from, in ranges; null: previews may not read it. */
  readonly contentUrl: string | null
}

type Props = {
  readonly file: PreviewedFile
  /** Absent where a download button is already visible. */
  readonly onDownload?: () => void
  /** Replaces "There is no preview for this type of file." */
  readonly noPreviewText?: string | undefined
  readonly isDisabled?: boolean
}

/** One file as what it is, from URLs that the server made safe; otherwise the reason why not. */
export function FilePreview({ file, onDownload, noPreviewText, isDisabled = false }: Props) {
  /** Why the browser has not shown it. */
  const [broken, setBroken] = useState<string | null>(null)
  const { name, category, size, contentUrl } = file
  const url = file.inlineUrl ?? ''
  const giveUp = () => void reasonOfElement(url).then(setBroken)
  const kind = broken ? 'none' : previewKind(file)
  const tile = (text: string) => (
    <div className={styles.none}>
      <FileIcon category={category} size={40} />
      <p className={styles.reason}>{text}</p>
      {onDownload && (
        <Button variant="primary" icon={Download} disabled={isDisabled} onClick={onDownload}>
          {messages.download}
        </Button>
      )}
    </div>
  )

  if (kind === 'image') return <ImagePreview name={name} url={url} onBroken={giveUp} />
  if (kind === 'pdf' && navigator.pdfViewerEnabled)
    return <iframe className={styles.frame} src={url} title={nameText(name)} />
  if (kind === 'video' || kind === 'audio') return <Player kind={kind} name={name} url={url} onBroken={giveUp} />
  if (contentUrl !== null) {
    const cannotShow = (reason: string) => tile(messages.cannotShow(reason))
    const content = contentPreview(kind, { name, url: contentUrl, size, cannotShow })
    if (content) return <Suspense fallback={<Waiting />}>{content}</Suspense>
  }
  return tile(broken ? messages.cannotShow(broken) : (noPreviewText ?? messages.noPreview))
}

const BY_KIND: Partial<Record<PreviewKind, ComponentType<ContentProps>>> = {
  xlsx: WorkbookPreview,
  delimited: DelimitedPreview,
  font: FontPreview,
  epub: EpubPreview,
}

/** A preview that reads the content itself; null for kinds that do not. */
function contentPreview(kind: PreviewKind, props: ContentProps): ReactNode {
  if (kind === 'svg') return <SvgPreview {...props} />
  if (kind === 'docx' || kind === 'pptx') return <OfficePreview kind={kind} {...props} />
  if (kind === 'zip' || kind === 'tar' || kind === 'tgz') return <ArchivePreview kind={kind} {...props} />
  if (kind === 'json' && props.size <= MOST_JSON_BYTES) return <JsonPreview {...props} />
  if (kind === 'text' || kind === 'json') return <TextPreview {...props} isMarkdown={false} />
  if (kind === 'markdown') return <TextPreview {...props} isMarkdown />
  const Preview = BY_KIND[kind]
  return Preview ? <Preview {...props} /> : null
}

type PlayerProps = {
  readonly kind: 'video' | 'audio'
  readonly name: string
  readonly url: string
  readonly onBroken: () => void
}

/** Uploaded recordings have no captions. */
function Player({ kind: Element, name, url, onBroken }: PlayerProps) {
  return <Element className={styles.media} src={url} controls autoPlay onError={onBroken} aria-label={nameText(name)} />
}
