import { Check, CircleDashed, EllipsisVertical, Link2, type LucideIcon, Star, TriangleAlert } from 'lucide-react'
import { lazy, memo, Suspense } from 'react'
import { graphql, useFragment } from 'react-relay'
import type { FileRow_file$data, FileRow_file$key } from '../../../__generated__/FileRow_file.graphql.ts'
import { cx } from '../../../lib/cx.ts'
import { formatBytes, formatExactBytes } from '../../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../../lib/formatDate.ts'
import { useShownName } from '../../../lib/listChoices.ts'
import { nameText } from '../../../lib/nameText.ts'
import { nativeName } from '../../../lib/nativeName.ts'
import badgeStyles from '../../../ui/Badge.module.css'
import buttonStyles from '../../../ui/Button.module.css'
import checkboxStyles from '../../../ui/Checkbox.module.css'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { FileName } from '../../../ui/FileName.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import { items } from '../messages.ts'
import styles from './List.module.css'
import { RenameField } from './NameField.tsx'

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
        updatedAt
        childCount
        groupCloud {
          name
        }
        storedIn {
          hue
        }
        mimeType
        nativeKind
        account {
          name
          hue
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
  const { id, index, top, isSelected, isFocused, isCut, isNarrow } = look
  return (
    <div
      role="row"
      data-id={id}
      data-drop-folder={file.kind === 'FOLDER' ? id : undefined}
      data-drop-name={file.name}
      draggable={!look.isRenaming}
      tabIndex={isFocused ? 0 : -1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={cx(
        `${styles.row} ${styles.cols} ${styles.at}`,
        look.location !== null && styles.tall,
        isSelected && styles.isSel,
        isCut && styles.isCut,
        file.state === 'AT_RISK' && styles.isDim,
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
          <FileIcon category={file.category} />
        )}
        {look.isRenaming ? (
          <RenameField id={id} name={file.name} isFolder={file.kind === 'FOLDER'} />
        ) : (
          <span className="grow">
            <NameLine file={file} href={look.href} isShared={look.isShared} />
            {isNarrow ? (
              <SubLine file={file} location={look.location} />
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
      {!isNarrow && <Columns file={file} />}
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

/** The second line on narrow screens: where or how it is, size, date. */
function SubLine({ file, location }: { file: File; location: string | null }) {
  const alarm = alarmOf(file)
  return (
    <span className={`${styles.sub} num`} data-testid="row-facts">
      {alarm && <span className={alarm.tone}>{alarm.text}</span>}
      {!alarm && file.groupCloud && (
        <>
          <PoolMini hues={file.storedIn.map((account) => account.hue)} />
          <span className="ell">{location ?? file.groupCloud.name}</span>
        </>
      )}
      {!alarm && file.account && location === null && <InAccount account={file.account} protection={file.protection} />}
      {!alarm && !file.groupCloud && location !== null && <span className="ell">{location}</span>}
      {(alarm || file.groupCloud || file.account || location !== null) && <span className="subtle">·</span>}
      <span>{nativeName(file) ?? <Size file={file} />}</span>
      <span className="subtle">·</span>
      <span>{formatDay(file.updatedAt)}</span>
    </span>
  )
}

/** An entry that an account has under its own name. */
function InAccount({ account, protection }: Pick<File, 'protection'> & { account: NonNullable<File['account']> }) {
  return (
    <span className={styles.store}>
      {protection && (
        <Suspense>
          <ProtectionMark {...protection} />
        </Suspense>
      )}
      <PoolMini hues={[account.hue]} />
      <span className="ell">{account.name}</span>
    </span>
  )
}

function StoredIn({ file }: { file: File }) {
  const alarm = alarmOf(file)
  if (file.account) return <InAccount account={file.account} protection={file.protection} />
  if (!alarm && !file.groupCloud) return null
  return (
    <span className={styles.store} title={file.stateReason ?? undefined}>
      <span className={cx(styles.st, alarm?.tone ?? 'subtle')} title={alarm ? alarm.text : 'Stored'}>
        <Icon icon={alarm?.icon ?? Check} size={14} />
      </span>
      <PoolMini hues={file.storedIn.map((account) => account.hue)} />
      <span className={cx('ell num', alarm?.tone, alarm && 'strong')}>{alarm?.text ?? file.groupCloud?.name}</span>
    </span>
  )
}

function Columns({ file }: { file: File }) {
  const exactSize = file.kind === 'FOLDER' || file.size == null ? undefined : formatExactBytes(file.size)
  return (
    <>
      <span className={`${styles.cell} ${styles.desktopOnly}`} role="gridcell">
        <StoredIn file={file} />
      </span>
      <span
        className={`${styles.cell} ${styles.desktopOnly} num`}
        role="gridcell"
        title={formatFullDate(file.updatedAt)}
      >
        {formatDay(file.updatedAt)}
      </span>
      <span className={`${styles.cell} ${styles.desktopOnly} ${styles.right} num`} role="gridcell" title={exactSize}>
        <Size file={file} />
      </span>
    </>
  )
}

const ProtectionMark = lazy(() => import('./ProtectionMark.tsx').then((file) => ({ default: file.ProtectionMark })))

type Alarm = { readonly text: string; readonly tone: string; readonly icon: LucideIcon }

/** The alert shown instead of the group cloud's name; none for a stored file. */
export function alarmOf({ state, kind }: { state: string; kind: string }): Alarm | null {
  if (kind === 'FOLDER') return null
  if (state === 'AT_RISK') return { text: 'At risk', tone: 't-warning', icon: TriangleAlert }
  if (state === 'STORING' || state === 'RECEIVED') return { text: 'Storing', tone: 't-accent', icon: CircleDashed }
  return null
}

type Sized = {
  readonly kind: string
  /** Null for native documents, which have no bytes. */
  readonly size: number | null | undefined
  readonly childCount?: number | null | undefined
}

export function Size({ file }: { file: Sized }) {
  if (file.kind === 'FOLDER') return items(file.childCount ?? 0)
  if (file.size != null) return formatBytes(file.size)
  return (
    <span role="img" aria-label="No size">
      –
    </span>
  )
}
