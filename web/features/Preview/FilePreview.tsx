import { Download } from 'lucide-react'
import { useState } from 'react'
import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { ImagePreview } from './ImagePreview.tsx'
import styles from './Preview.module.css'
import { previewKind } from './previewKind.ts'
import { SvgPreview } from './SvgPreview.tsx'
import { TextPreview } from './TextPreview.tsx'

export type PreviewedFile = {
  readonly kind: string
  readonly name: string
  readonly category: string
  readonly mimeType: string | null | undefined
  readonly size: number
  /** Null if the server does not serve this type inline. */
  readonly inlineUrl: string | null | undefined
  /** URL of the text; null: no text preview. */
  readonly textUrl: string | null
}

type Props = {
  readonly file: PreviewedFile
  /** Absent where a download button is already visible. */
  readonly onDownload?: () => void
  /** Replaces "There is no preview for this type of file." */
  readonly noPreviewText?: string | undefined
  readonly isDisabled?: boolean
}

/**
 * One file as a picture, a page, a player or text, from URLs that the server made safe; otherwise the reason why not.
 */
export function FilePreview({ file, onDownload, noPreviewText, isDisabled = false }: Props) {
  const [isBroken, setBroken] = useState(false)
  const { name, category, size, textUrl } = file
  const url = file.inlineUrl ?? ''
  const giveUp = () => setBroken(true)
  const kind = isBroken ? 'none' : previewKind(file)

  if (kind === 'image') return <ImagePreview name={name} url={url} onBroken={giveUp} />
  if (kind === 'pdf' && navigator.pdfViewerEnabled)
    return <iframe className={styles.frame} src={url} title={nameText(name)} />
  if (kind === 'video' || kind === 'audio') return <Player kind={kind} name={name} url={url} onBroken={giveUp} />
  if (kind === 'svg' && textUrl !== null) return <SvgPreview name={name} url={textUrl} size={size} />
  if ((kind === 'text' || kind === 'markdown') && textUrl !== null) {
    return <TextPreview name={name} url={textUrl} size={size} isMarkdown={kind === 'markdown'} />
  }
  const why = noPreviewText ?? 'There is no preview for this type of file.'
  return (
    <div className={styles.none}>
      <FileIcon category={category} size={40} />
      <p>{isBroken ? 'Your browser cannot show this file.' : why}</p>
      {onDownload && (
        <Button variant="primary" icon={Download} disabled={isDisabled} onClick={onDownload}>
          Download
        </Button>
      )}
    </div>
  )
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
