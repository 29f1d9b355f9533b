import { EllipsisVertical, Link2, Star } from 'lucide-react'
import { memo, Suspense } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { FileRow_file$data, FileRow_file$key } from '../../../__generated__/FileRow_file.graphql.ts'
import { cx } from '../../../lib/cx.ts'
import { late } from '../../../lib/lateCode.ts'
import { useShownName } from '../../../lib/listChoices.ts'
import { nameText } from '../../../lib/nameText.ts'
import { nativeName } from '../../../lib/nativeName.ts'
import badgeStyles from '../../../ui/Badge.module.css'
import buttonStyles from '../../../ui/Button.module.css'
import checkboxStyles from '../../../ui/Checkbox.module.css'
import { FileName } from '../../../ui/FileName.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import type { AccountChoice } from '../FilesContext.ts'
import styles from './List.module.css'
import { RenameField } from './NameField.tsx'
import { Columns, RowIcon, SubLine, whyUnread } from './RowCells.tsx'

export const TagList = late(() => import('../../../features/Tags/TagList.tsx').then((file) => file.TagList))

export type RowLook = {
  readonly id: string
  /** The row's number among all rows, from 0. */
  readonly index: number
  /** Pixels from the top of the list. */
  readonly top: number
  /** Where the name leads; null: it cannot be opened here. */
  readonly href: string | null
  readonly isSelected: boolean
  /** The one row that Tab reaches. */
  readonly isFocused: boolean
  readonly isCut: boolean
  readonly isRenaming: boolean
  /** A second line under the name takes the place of the columns. */
  readonly isNarrow: boolean
  /** Shown as a mark next to the name, which opens the links. */
  readonly isShared: boolean
  /** Its location, on a second line; null if the list is that folder. */
  readonly location: string | null
  /** The account that this folder shows as a whole. */
  readonly root: AccountChoice | null
  /** Whether anything is selected: then narrow rows have checkboxes in place of icons. */
  readonly isSelecting: boolean
}

export const FileRow = memo(function FileRow({ file: key, ...look }: RowLook & { file: FileRow_file$key }) {
  const file = useFragment(
    graphql`
      fragment FileRow_file on File {
        id
        name
        kind
        category
        size
        state
        stateReason
        starred
        color
        tags { id ...TagList_tags }
        updatedAt
        childCount
        groupCloud {
          name
        }
        storedIn {
          hue
        }
        mimeType
        thumbnailUrl
        nativeKind
        account {
          name
          hue
          status
          statusReason
          unreachableSince
        }
        protection {
          state
          reason
        }
      }
    `,
    key,
  )
  return <RowFrame {...look} file={file} />
})

type File = FileRow_file$data

/** One line of the list. Its events are handled by the list as a whole, which finds the row by `data-id`. */
function RowFrame({ file, ...look }: RowLook & { file: File }) {
  const { id, index, top, isSelected, isFocused, isCut, isNarrow, root } = look
  return (
    <div
      role="row"
      data-id={id}
      data-drop-folder={file.kind === 'FOLDER' ? id : undefined}
      data-drop-name={file.name}
      draggable={!look.isRenaming && !root}
      tabIndex={isFocused ? 0 : -1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={cx(
        `${styles.row} ${styles.cols} ${styles.at}`,
        look.location !== null && styles.tall,
        isSelected && styles.isSel,
        isCut && styles.isCut,
        look.isRenaming && styles.isNaming,
        (file.state === 'AT_RISK' || whyUnread(file.account)) && styles.isDim,
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {!isNarrow && <CheckCell name={file.name} isSelected={isSelected} />}
      <span className={`${styles.cell} ${styles.cName}`} role="gridcell">
        {isNarrow && look.isSelecting ? (
          <input
            type="checkbox"
            className={`${checkboxStyles.check} ${styles.rowCheck}`}
            data-testid="row-check"
            tabIndex={-1}
            readOnly
            checked={isSelected}
            aria-label={`Select ${nameText(file.name)}`}
          />
        ) : (
          <RowIcon category={file.category} color={file.color} root={root} thumbnailUrl={file.thumbnailUrl} />
        )}
        {look.isRenaming ? (
          <RenameField id={id} name={file.name} isFolder={file.kind === 'FOLDER'} />
        ) : (
          <span className="grow">
            <NameLine file={file} href={look.href} isShared={look.isShared} />
            {isNarrow ? (
              <SubLine file={file} location={look.location} root={root} />
            ) : (
              look.location !== null && (
                <span className={`${styles.sub} ell`} title={look.location}>
                  {look.location}
                </span>
              )
            )}
          </span>
        )}
      </span>
      {!isNarrow && <Columns file={file} root={root} />}
      <span className={styles.cell} role="gridcell">
        <button
          type="button"
          className={`${buttonStyles.btn} ${buttonStyles.ghost} ${buttonStyles.icon} ${buttonStyles.sm} ${styles.kebab}`}
          tabIndex={-1}
          data-menu
          aria-label={`More actions for ${nameText(file.name)}`}
        >
          <Icon icon={EllipsisVertical} />
        </button>
      </span>
    </div>
  )
}

const CheckCell = ({ name, isSelected }: { name: string; isSelected: boolean }) => (
  <span className={`${styles.cell} ${styles.cCheck}`} role="gridcell">
    <input
      type="checkbox"
      className={checkboxStyles.check}
      tabIndex={-1}
      readOnly
      checked={isSelected}
      aria-label={`Select ${nameText(name)}`}
    />
  </span>
)

function NameLine({ file, href, isShared }: { file: File; href: string | null; isShared: boolean }) {
  const shown = useShownName(file)
  const native = nativeName(file)
  return (
    <span className={`hstack ${styles.tightGap}`}>
      {href ? (
        <a className={styles.rowLink} href={href} tabIndex={-1} draggable={false}>
          <FileName name={shown} />
        </a>
      ) : (
        <FileName name={shown} />
      )}
      {native && <span className={`${badgeStyles.badge} ${badgeStyles.line} only-d`}>{native}</span>}
      {file.starred && (
        <span className={styles.star} role="img" aria-label="Starred">
          <Icon icon={Star} size={14} filled />
        </span>
      )}
      <Suspense>{file.tags.length > 0 && <TagList tags={file.tags} most={2} isBrief />}</Suspense>
      {isShared && (
        <button
          type="button"
          className={styles.rowLinks}
          tabIndex={-1}
          data-details
          aria-label={`Links to ${nameText(file.name)}`}
        >
          <Icon icon={Link2} size={14} />
        </button>
      )}
    </span>
  )
}
