import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { RecentFiles_file$data, RecentFiles_file$key } from '../../__generated__/RecentFiles_file.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { PoolMini } from '../../ui/PoolBar.tsx'
import { words } from './words.ts'

/** What was changed last; a click shows it. */
export function RecentFiles({ files }: { files: RecentFiles_file$key }) {
  const rows = useFragment(
    graphql`
      fragment RecentFiles_file on File @relay(plural: true) {
        id
        name
        category
        size
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
    <section className="card" aria-labelledby="recent-files">
      <div className="dhead">
        <h2 className="h3 grow" id="recent-files">
          {words.recentFiles}
        </h2>
        <Link className="link meta" to="/file-manager">
          {words.allFiles}
        </Link>
      </div>
      <ul className="drows">
        {rows.map((file) => (
          <Row key={file.id} file={file} />
        ))}
      </ul>
    </section>
  )
}

function Row({ file }: { file: RecentFiles_file$data[number] }) {
  const { id, name, category, size, updatedAt, storedIn } = file
  return (
    <li>
      <Link className="drow" to={`/file-manager?preview=${encodeURIComponent(id)}`}>
        <FileIcon category={category} />
        <span className="grow">
          <FileName name={name} />
        </span>
        <span className="dmeta meta num muted">
          <span className="only-d inline" title={words.storedIn(storedIn.map(accountLabel).join(', '))}>
            <PoolMini hues={storedIn.map(({ hue }) => hue)} />
          </span>
          <time className="only-d inline dday" dateTime={updatedAt} title={formatFullDate(updatedAt)}>
            {formatDay(updatedAt)}
          </time>
          <span className="dsize">{formatBytes(size)}</span>
        </span>
      </Link>
    </li>
  )
}
