import { Download, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { FilePreview } from '../../features/Preview/FilePreview.tsx'
import previewStyles from '../../features/Preview/Preview.module.css'
import { PreviewFrame } from '../../features/Preview/PreviewFrame.tsx'
import { formatBytes } from '../../lib/formatBytes.ts'
import { FileName } from '../../ui/FileName.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { entryUrl } from './addresses.ts'
import { messages } from './messages.ts'
import { previewedFile } from './previewedFile.ts'
import type { SharedEntry } from './useFolder.ts'

type Props = {
  readonly shareId: string
  readonly isLimited: boolean
  readonly entry: SharedEntry
  readonly prevId: string | null
  readonly nextId: string | null
  readonly isUsedUp: boolean
  readonly onNavigate: (id: string) => void
  readonly onDownload: () => void
  readonly onClose: () => void
  /** How a download fares, which the page behind cannot say now. */
  readonly notice: ReactNode
}

/** One file of a shared folder over the whole window. */
export function EntryPreview({ shareId, isLimited, entry, isUsedUp, onDownload, notice, ...frame }: Props) {
  const { id, name, size } = entry
  return (
    <PreviewFrame {...frame}>
      <div className={previewStyles.head}>
        <h2 className="min-w-0 font-medium">
          <FileName name={name} />
        </h2>
        <span className="meta subtle num grow">{formatBytes(size)}</span>
        <IconButton label={messages.download} icon={Download} disabled={isUsedUp} onClick={onDownload} />
        <IconButton
          label={messages.closePreview}
          keys="Esc"
          icon={X}
          className={previewStyles.close}
          onClick={frame.onClose}
        />
      </div>
      {notice}
      <div className={previewStyles.stage}>
        <FilePreview
          key={id}
          file={previewedFile(entry, entryUrl(shareId, id), isLimited)}
          noPreviewText={isLimited ? messages.noPreviewLimited : undefined}
          isDisabled={isUsedUp}
          onDownload={onDownload}
        />
      </div>
    </PreviewFrame>
  )
}
