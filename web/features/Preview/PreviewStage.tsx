import { Download } from 'lucide-react'
import { useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { PreviewStage_file$key } from '../../__generated__/PreviewStage_file.graphql.ts'
import { Button } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { ImagePreview } from './ImagePreview.tsx'
import { previewKind } from './previewKind.ts'
import { TextPreview } from './TextPreview.tsx'

type Props = { readonly file: PreviewStage_file$key; readonly onDownload: () => void }

export function PreviewStage({ file, onDownload }: Props) {
  const shown = useFragment(
    graphql`
      fragment PreviewStage_file on File {
        kind
        name
        category
        mimeType
        size
        inlineUrl
        downloadUrl
      }
    `,
    file,
  )
  const [isBroken, setBroken] = useState(false)
  const { name, category, size, downloadUrl } = shown
  const url = shown.inlineUrl ?? downloadUrl
  const giveUp = () => setBroken(true)
  const kind = isBroken ? 'none' : previewKind(shown)

  if (kind === 'image') return <ImagePreview name={name} url={url} onBroken={giveUp} />
  if (kind === 'pdf' && navigator.pdfViewerEnabled) return <iframe className="pv-frame" src={url} title={name} />
  if (kind === 'video' || kind === 'audio') return <Player kind={kind} name={name} url={url} onBroken={giveUp} />
  if (kind === 'text' || kind === 'markdown') {
    return <TextPreview name={name} url={downloadUrl} size={size} isMarkdown={kind === 'markdown'} />
  }
  return (
    <div className="pv-none">
      <FileIcon category={category} size={40} />
      <p>{isBroken ? 'Your browser cannot show this file.' : 'There is no preview for this type of file.'}</p>
      <Button variant="primary" icon={Download} onClick={onDownload}>
        Download
      </Button>
    </div>
  )
}

type PlayerProps = {
  readonly kind: 'video' | 'audio'
  readonly name: string
  readonly url: string
  readonly onBroken: () => void
}

/** People's own recordings come without captions. */
function Player({ kind: Element, name, url, onBroken }: PlayerProps) {
  return <Element className="pv-media" src={url} controls autoPlay onError={onBroken} aria-label={name} />
}
