import { graphql, useFragment } from 'react-relay'
import type { PreviewStage_file$key } from '../../__generated__/PreviewStage_file.graphql.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { DocumentPreview } from './DocumentPreview.tsx'
import { FilePreview } from './FilePreview.tsx'

type Props = { readonly file: PreviewStage_file$key; readonly onDownload: () => void }

export function PreviewStage({ file, onDownload }: Props) {
  const shown = useFragment(
    graphql`
      fragment PreviewStage_file on File {
        id
        nativeKind
        exportTypes
        webUrl
        account { name providerName }
        rights { read }
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
  if (shown.rights?.read === false) {
    const text = `${shown.account?.name ?? 'Its account'} does not allow downloading it.`
    return <EmptyState title="This file cannot be shown" text={text} />
  }
  const { nativeKind } = shown
  if (nativeKind) return <DocumentPreview document={{ ...shown, nativeKind }} onDownload={onDownload} />
  return (
    <FilePreview
      file={{ ...shown, size: shown.size ?? 0, contentUrl: shownUrl(shown.downloadUrl) }}
      onDownload={onDownload}
    />
  )
}

/** For showing only: what is read from it is not recorded as a download. */
const shownUrl = (downloadUrl: string | null | undefined): string | null =>
  downloadUrl ? `${downloadUrl}?disposition=inline` : null
