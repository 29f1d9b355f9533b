import { type ReactNode, useState } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { DetailsHead_file$key } from '../../__generated__/DetailsHead_file.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import fileIconStyles from '../../ui/FileIcon.module.css'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import styles from './Details.module.css'
import { categoryName } from './messages.ts'

/** A larger picture would be downloaded only to be shown 40 px wide. */
const THUMB_BYTES = 20 * 1024 * 1024

export function DetailsHead({ file, close }: { file: DetailsHead_file$key; close: ReactNode }) {
  const { name, category, kind, size, contentSize, inlineUrl } = useFragment(
    graphql`
      fragment DetailsHead_file on File {
        name
        category
        kind
        size
        contentSize
        inlineUrl
      }
    `,
    file,
  )
  const bytes = kind === 'FOLDER' ? contentSize : size
  const hasThumb = category === 'IMAGE' && size != null && size <= THUMB_BYTES
  return (
    <header className={styles.head}>
      <Picture url={hasThumb ? inlineUrl : null} category={category} />
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

function Picture({ url, category }: { url: string | null | undefined; category: string }) {
  const [isBroken, setBroken] = useState(false)
  if (!url || isBroken) return <FileIcon category={category} size={40} />
  return (
    <span className={`${fileIconStyles.icon} ${fileIconStyles.thumb} ${fileIconStyles.size40}`}>
      <img src={url} alt="" className="size-full object-cover" onError={() => setBroken(true)} />
    </span>
  )
}
