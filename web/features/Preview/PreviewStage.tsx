import { graphql, useFragment } from 'react-relay'
import type { PreviewStage_file$key } from '../../__generated__/PreviewStage_file.graphql.ts'
import { FilePreview } from './FilePreview.tsx'

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
  return <FilePreview file={{ ...shown, textUrl: shown.downloadUrl }} onDownload={onDownload} />
}
