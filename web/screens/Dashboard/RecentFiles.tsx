import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { RecentFiles_file$data, RecentFiles_file$key } from '../../__generated__/RecentFiles_file.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import cardStyles from '../../ui/Card.module.css'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { PoolMini } from '../../ui/PoolBar.tsx'
import styles from './Dashboard.module.css'
import { messages } from './messages.ts'

/** The files changed last; a click opens one. */
export function RecentFiles({ files }: { files: RecentFiles_file$key }) {
  const rows = useFragment(
    graphql`
      fragment RecentFiles_file on File @relay(plural: true) {
        id
        name
        category
        size
        thumbnailUrl
        updatedAt
        storedIn {
          id
          name
          provider
          providerName
          hue
        }
      }
    `,
    files,
  )
  return (
    <section className={cardStyles.card} aria-labelledby="recent-files">
      <div className={styles.head}>
        <h2 className="h3 grow" id="recent-files">
          {messages.recentFiles}
        </h2>
        <Link className="link meta" to="/file-manager">
          {messages.allFiles}
        </Link>
      </div>
      <ul className={styles.rows}>
        {rows.map((file) => (
          <Row key={file.id} file={file} />
        ))}
      </ul>
    </section>
  )
}

function Row({ file }: { file: RecentFiles_file$data[number] }) {
  const { id, name, category, size, thumbnailUrl, updatedAt, storedIn } = file
  return (
    <li>
      <Link className={styles.row} to={`/file-manager?preview=${encodeURIComponent(id)}`}>
        <FileIcon category={category} thumbnailUrl={thumbnailUrl} />
        <span className="grow">
          <FileName name={name} />
        </span>
        <span className={`${styles.rowMeta} meta num muted`}>
          <span className="only-d inline" title={messages.storedIn(storedIn.map(accountLabel).join(', '))}>
            <PoolMini hues={storedIn.map(({ hue }) => hue)} />
          </span>
          <time className={`only-d inline ${styles.day}`} dateTime={updatedAt} title={formatFullDate(updatedAt)}>
            {formatDay(updatedAt)}
          </time>
          <span className={styles.size}>
            {size == null ? (
              <span role="img" aria-label="No size">
                –
              </span>
            ) : (
              formatBytes(size)
            )}
          </span>
        </span>
      </Link>
    </li>
  )
}
