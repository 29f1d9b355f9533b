import { Check, Equal, EqualApproximately, GitCompare, Trash2 } from 'lucide-react'
import { graphql, useFragment } from 'react-relay'
import type {
  DuplicateGroup_file$data,
  DuplicateGroup_file$key,
} from '../../__generated__/DuplicateGroup_file.graphql.ts'
import type { DuplicateGroup_group$key } from '../../__generated__/DuplicateGroup_group.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../lib/formatDate.ts'
import { nameText } from '../../lib/nameText.ts'
import { AccountMark } from '../../ui/AccountMark.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import radioStyles from '../../ui/Radio.module.css'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

type Props = {
  group: DuplicateGroup_group$key
  isSelected: boolean
  /** The file that stays; null: nothing happens to the group. */
  kept: string | null
  isComparing: boolean
  onSelect: (isSelected: boolean) => void
  onKeep: (fileId: string) => void
  onCompare: () => void
}

/** Files with the same content, or that may have it. */
export function DuplicateGroup({ group, isSelected, kept, isComparing, onSelect, onKeep, onCompare }: Props) {
  const { id, certainty, match, size, category, fileCount, reclaimableBytes, compareBytes, files } = useFragment(
    graphql`
      fragment DuplicateGroup_group on DuplicateGroup {
        id
        certainty
        match
        size
        category
        fileCount
        reclaimableBytes
        compareBytes
        files {
          id
          name
          ...DuplicateGroup_file
        }
      }
    `,
    group,
  )
  const isCertain = certainty === 'CERTAIN'
  const name = files[0]?.name ?? ''
  return (
    <article className={styles.group} aria-label={nameText(name)}>
      <header>
        {isCertain && <Checkbox checked={isSelected} label={messages.selectGroup(name)} onChange={onSelect} />}
        <FileIcon category={category} size={32} />
        <div className="grow">
          <div className={styles.title}>
            <FileName name={name} />
            <Badge tone={isCertain ? 'neutral' : 'line'} icon={isCertain ? Equal : EqualApproximately}>
              {isCertain ? messages.certain : messages.likely}
            </Badge>
          </div>
          <p className="meta subtle num">{messages.filesOf(fileCount, size, match)}</p>
        </div>
        <p className={`num ${styles.reclaim}`}>
          <b>{formatBytes(reclaimableBytes)}</b>
          <span className="meta subtle">{isCertain ? messages.reclaim : messages.ifEqual}</span>
        </p>
      </header>
      <table className={styles.files}>
        <caption className="sr-only">{messages.table}</caption>
        <thead className="sr-only">
          <tr>
            {Object.values(messages.columns).map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <FileRow
              key={file.id}
              file={file}
              group={id}
              title={name}
              fate={kept === null ? null : kept === file.id ? 'KEEP' : 'TRASH'}
              onKeep={isCertain ? () => onKeep(file.id) : null}
            />
          ))}
        </tbody>
      </table>
      {fileCount > files.length && (
        <p className={`meta subtle num ${styles.foot}`}>{messages.shownOf(files.length, fileCount)}</p>
      )}
      {!isCertain && (
        <div className={styles.compare}>
          <span className="meta subtle grow">{messages.compareNote(files.length)}</span>
          <Button size="sm" icon={GitCompare} busy={isComparing} onClick={onCompare}>
            <span className="num">{messages.compare(compareBytes)}</span>
          </Button>
        </div>
      )}
    </article>
  )
}

type RowProps = {
  file: DuplicateGroup_file$key
  group: string
  /** The name of the group: other names are shown. */
  title: string
  fate: 'KEEP' | 'TRASH' | null
  /** null: there is nothing to choose yet. */
  onKeep: (() => void) | null
}

function FileRow({ file, group, title, fate, onKeep }: RowProps) {
  const data = useFragment(
    graphql`
      fragment DuplicateGroup_file on File {
        id
        name
        size
        updatedAt
        webUrl
        rights {
          delete
        }
        account {
          id
          name
          provider
          providerName
          glyph
          hue
        }
        groupCloud {
          id
          name
        }
        path {
          id
          name
        }
      }
    `,
    file,
  )
  const { size, updatedAt, rights, account } = data
  const { home, folders } = placeOf(data, title)
  const isFixed = fate === 'TRASH' && rights?.delete === false
  const place = [home, folders].filter(Boolean).join(' / ')
  return (
    <tr className={cx(fate === 'TRASH' && !isFixed && styles.goes)}>
      <td>
        {onKeep && (
          <input
            type="radio"
            className={radioStyles.radio}
            name={group}
            aria-label={messages.keepThis(place)}
            checked={fate === 'KEEP'}
            onChange={onKeep}
          />
        )}
      </td>
      <td>
        <span className={styles.place}>
          {account ? <AccountMark glyph={account.glyph} hue={account.hue} /> : <AccountMark glyph="SERVER" hue={0} />}
          <b className="ell">{home}</b>
          <span className="ell subtle" title={folders}>
            {folders}
          </span>
        </span>
      </td>
      <td className="num" title={formatFullDate(updatedAt)}>
        {formatDay(updatedAt)}
      </td>
      <td className="num">{formatBytes(size ?? 0)}</td>
      <td>
        <Fate fate={fate} isFixed={isFixed} />
      </td>
    </tr>
  )
}

function Fate({ fate, isFixed }: { fate: RowProps['fate']; isFixed: boolean }) {
  if (fate === null) return null
  if (fate === 'KEEP') {
    return (
      <span className={`t-success ${styles.fate}`}>
        <Icon icon={Check} size={12} />
        {messages.keep}
      </span>
    )
  }
  if (isFixed) {
    return (
      <span className={`subtle ${styles.fate}`} title={messages.noRightTitle}>
        {messages.noRight}
      </span>
    )
  }
  return (
    <span className={`subtle ${styles.fate}`}>
      <Icon icon={Trash2} size={12} />
      {messages.toTrash}
    </span>
  )
}

/** The account or group cloud of a file, and its folders there; its name too where that is another one. */
function placeOf({ account, groupCloud, path, name }: DuplicateGroup_file$data, title: string) {
  const names = [...path.map((folder) => nameText(folder.name)), ...(name === title ? [] : [nameText(name)])]
  // The folder that shows the account has its name.
  if (account) return { home: accountLabel(account), folders: names.slice(1).join(' / ') }
  return { home: groupCloud?.name ?? messages.myDrive, folders: [messages.myDrive, ...names].join(' / ') }
}
