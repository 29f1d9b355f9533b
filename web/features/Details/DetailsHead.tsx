import type { ReactNode } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { DetailsHead_file$key } from '../../__generated__/DetailsHead_file.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import styles from './Details.module.css'
import { categoryName } from './messages.ts'

export function DetailsHead({ file, close }: { file: DetailsHead_file$key; close: ReactNode }) {
  const { name, category, kind, size, contentSize, childCount, color, thumbnailUrl } = useFragment(
    graphql`
      fragment DetailsHead_file on File {
        name
        category
        kind
        size
        contentSize
        childCount
        color
        thumbnailUrl
      }
    `,
    file,
  )
  // Without a count, its account is being listed for the first time: its size is not known either.
  const folderBytes = childCount == null ? null : contentSize
  const bytes = kind === 'FOLDER' ? folderBytes : size
  return (
    <header className={styles.head}>
      <FileIcon category={category} size={40} color={color} thumbnailUrl={thumbnailUrl} />
      <div className="grow">
        <h2 className="h3">
          <FileName name={name} />
        </h2>
        <p className="meta subtle num">
          {categoryName(category)}
          {bytes != null && ` · ${formatBytes(bytes)}`}
        </p>
      </div>
      {close}
    </header>
  )
}
