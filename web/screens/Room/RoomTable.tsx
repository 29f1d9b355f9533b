import { ArrowDown, CircleEllipsis } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import { Link } from 'react-router'
import type { RoomTable_content$key } from '../../__generated__/RoomTable_content.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay } from '../../lib/formatDate.ts'
import cardStyles from '../../ui/Card.module.css'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { hueStyle } from '../../ui/hue.ts'
import { Icon } from '../../ui/Icon.tsx'
import { messages } from './messages.ts'
import styles from './Room.module.css'
import { entryPath, type RoomPlace } from './roomUrl.ts'

const { columns } = messages

type Props = {
  readonly content: RoomTable_content$key
  readonly name: string
  readonly hue: number
  readonly place: RoomPlace
}

/** The same as the treemap, in figures. */
export function RoomTable({ content, name, hue, place }: Props) {
  const data = useFragment(
    graphql`
      fragment RoomTable_content on RoomContent {
        bytes
        files
        others {
          count
          files
          bytes
        }
        children {
          bytes
          files
          changedAt
          file {
            id
            name
            kind
            category
          }
        }
      }
    `,
    content,
  )
  const { bytes, files, children, others } = data
  const most = Math.max(1, others.bytes, children[0]?.bytes ?? 0)
  return (
    <div className={cardStyles.card}>
      <table className={styles.table} style={hueStyle(hue)} aria-label={messages.bySize(name)}>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <td className={styles.wide} />
            <th scope="col" aria-sort="descending">
              <span className={styles.sorted}>
                {columns.size} <Icon icon={ArrowDown} size={12} />
              </span>
            </th>
            <th scope="col" className={styles.wide}>
              {columns.share}
            </th>
            <th scope="col" className={styles.wide}>
              {columns.files}
            </th>
            <th scope="col" className={styles.wide}>
              {columns.changed}
            </th>
          </tr>
        </thead>
        <tbody>
          {children.map((child) => (
            <Row
              key={child.file.id}
              name={
                <Link className={styles.entry} to={entryPath(place, child.file)}>
                  <FileIcon category={child.file.category} />
                  <FileName name={child.file.name} />
                </Link>
              }
              {...{ most, all: bytes, bytes: child.bytes, files: child.files, changedAt: child.changedAt }}
            />
          ))}
          {others.count > 0 && (
            <Row
              name={
                <span className={styles.entry}>
                  <Icon icon={CircleEllipsis} size={18} className="subtle" />
                  {messages.smaller(others.count)}
                </span>
              }
              {...{ most, all: bytes, bytes: others.bytes, files: others.files }}
            />
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{messages.total}</th>
            <td className={styles.wide} />
            <td className="num">{formatBytes(bytes)}</td>
            <td className={`num ${styles.wide}`}>{messages.share(bytes, bytes)}</td>
            <td className={`num ${styles.wide}`}>{messages.whole(files)}</td>
            <td className={styles.wide} />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

type RowProps = {
  readonly name: React.ReactNode
  readonly bytes: number
  readonly files: number
  readonly changedAt?: string | null | undefined
  /** Of the largest row. */
  readonly most: number
  readonly all: number
}

function Row({ name, bytes, files, changedAt, most, all }: RowProps) {
  const bar = (
    <span className={styles.bar} aria-hidden>
      <i style={{ width: `${(bytes / most) * 100}%` }} />
    </span>
  )
  return (
    <tr>
      <th scope="row">
        {name}
        <span className="only-m">{bar}</span>
      </th>
      <td className={styles.wide}>{bar}</td>
      <td className="num">{formatBytes(bytes)}</td>
      <td className={`num subtle ${styles.wide}`}>{messages.share(bytes, all)}</td>
      <td className={`num muted ${styles.wide}`}>{messages.whole(files)}</td>
      <td className={`num muted ${styles.wide}`}>{changedAt ? formatDay(changedAt) : '–'}</td>
    </tr>
  )
}
