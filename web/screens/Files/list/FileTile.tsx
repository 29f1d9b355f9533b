import { Star } from 'lucide-react'
import { memo, Suspense } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { FileTile_file$data, FileTile_file$key } from '../../../__generated__/FileTile_file.graphql.ts'
import { cx } from '../../../lib/cx.ts'
import { formatExactBytes } from '../../../lib/formatBytes.ts'
import { late } from '../../../lib/lateCode.ts'
import { shownName } from '../../../lib/listChoices.ts'
import { nameText } from '../../../lib/nameText.ts'
import badgeStyles from '../../../ui/Badge.module.css'
import checkboxStyles from '../../../ui/Checkbox.module.css'
import { Duration } from '../../../ui/Duration.tsx'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { NoPreview } from '../../../ui/NoPreview.tsx'
import { isPaper, Thumbnail } from '../../../ui/Thumbnail.tsx'
import { type RowLook, TagList } from './FileRow.tsx'
import styles from './List.module.css'
import { RenameField } from './NameField.tsx'
import { alarmOf, RowIcon, Size } from './RowCells.tsx'

const FolderPictures = late(() => import('./FolderPictures.tsx').then((file) => file.FolderPictures))

type TileLook = Omit<RowLook, 'top' | 'isNarrow' | 'isShared' | 'isSelecting'> & {
  /** When the list was read, in Unix ms. */
  readonly readAt: number
  readonly column: number
  /** Read once for the whole grid. */
  readonly areEndingsShown: boolean
}

export const FileTile = memo(function FileTile({ file: key, ...look }: TileLook & { file: FileTile_file$key }) {
  const file = useFragment(
    graphql`
      fragment FileTile_file on File {
        id
        name
        kind
        category
        size
        state
        starred
        color
        tags { id ...TagList_tags }
        childCount
        durationMs
        mediumUrl: thumbnailUrl(size: MEDIUM)
        largeUrl: thumbnailUrl(size: LARGE)
      }
    `,
    key,
  )
  const { id, isSelected, isFocused, isCut } = look
  return (
    <div
      role="gridcell"
      data-id={id}
      data-drop-folder={file.kind === 'FOLDER' ? id : undefined}
      data-drop-name={file.name}
      draggable={!look.isRenaming && !look.root}
      tabIndex={isFocused ? 0 : -1}
      aria-colindex={look.column + 1}
      aria-selected={isSelected}
      className={cx(styles.tile, isSelected && styles.isSel, isCut && styles.isCut)}
    >
      <Tile file={file} look={look} />
    </div>
  )
})

type Part = { file: FileTile_file$data; look: TileLook }

function Tile({ file, look }: Part) {
  const alarm = alarmOf(file)
  const hasPictures = file.kind === 'FOLDER' && !look.root
  return (
    <>
      <input
        type="checkbox"
        className={checkboxStyles.check}
        tabIndex={-1}
        readOnly
        checked={look.isSelected}
        aria-label={`Select ${nameText(file.name)}`}
      />
      <div className={hasPictures ? styles.thumb : `${styles.thumb} ${styles.bigIcon}`}>
        {hasPictures ? (
          <Suspense fallback={<FileIcon category="FOLDER" size={40} color={file.color} />}>
            <FolderPictures id={file.id} color={file.color} childCount={file.childCount ?? null} readAt={look.readAt} />
          </Suspense>
        ) : (
          <FileIcon category={file.category} size={40} />
        )}
        <Thumbnail
          url={file.mediumUrl}
          denseUrl={file.largeUrl}
          isNear
          isPaper={isPaper(file.category)}
          className={file.category === 'PDF' ? styles.page : undefined}
        />
        {file.kind === 'FILE' && <NoPreview name={file.name} />}
        <Duration ms={file.durationMs} />
        {alarm && (
          <span
            className={cx(
              `${styles.corner} ${badgeStyles.badge}`,
              alarm.tone === 't-warning' ? badgeStyles.warning : badgeStyles.accent,
            )}
          >
            <Icon icon={alarm.icon} size={12} />
            {alarm.text}
          </span>
        )}
      </div>
      <div className={styles.caption}>
        <RowIcon category={file.category} color={file.color} root={look.root} />
        <div className="grow">
          <TileName file={file} look={look} />
          <div
            className="meta subtle num ell"
            title={
              look.location ?? (file.kind === 'FOLDER' || file.size == null ? undefined : formatExactBytes(file.size))
            }
          >
            <Size file={file} />
            {look.location !== null && ` · ${look.location}`}
          </div>
          {file.tags.length > 0 && (
            <Suspense>
              <TagList tags={file.tags} most={2} />
            </Suspense>
          )}
        </div>
        <TileStar isOn={file.starred} />
      </div>
    </>
  )
}

function TileName({ file, look }: Part) {
  const shown = shownName(file, look.areEndingsShown)
  if (look.isRenaming) return <RenameField id={file.id} name={file.name} isFolder={file.kind === 'FOLDER'} />
  const text = styles.tileName
  if (!look.href) return <span className={text}>{nameText(shown)}</span>
  return (
    <a
      className={cx(styles.rowLink, text)}
      href={look.href}
      tabIndex={-1}
      draggable={false}
      title={nameText(file.name)}
    >
      {nameText(shown)}
    </a>
  )
}

const TileStar = ({ isOn }: { isOn: boolean }) =>
  isOn && (
    <span className={`${styles.star} subtle`} role="img" aria-label="Starred">
      <Icon icon={Star} size={14} filled />
    </span>
  )
