import { Check, CircleDashed, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Suspense } from 'react'
import type { FileRow_file$data } from '../../../__generated__/FileRow_file.graphql.ts'
import { cx } from '../../../lib/cx.ts'
import { formatBytes, formatExactBytes } from '../../../lib/formatBytes.ts'
import { formatDay, formatFullDate } from '../../../lib/formatDate.ts'
import { late } from '../../../lib/lateCode.ts'
import { nativeName } from '../../../lib/nativeName.ts'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import type { AccountChoice } from '../FilesContext.ts'
import { itemsText } from '../messages.ts'
import styles from './List.module.css'

const AccountIcon = late(() => import('./AccountCells.tsx').then((file) => file.AccountIcon))
const AccountStateCell = late(() => import('./AccountCells.tsx').then((file) => file.AccountStateCell))
const ProtectionMark = late(() => import('./ProtectionMark.tsx').then((file) => file.ProtectionMark))

type File = FileRow_file$data
/** `root`: the account that this folder shows as a whole. */
type Cells = { readonly file: File; readonly root: AccountChoice | null }

type RowIconProps = {
  readonly category: string
  readonly color?: string | null | undefined
  readonly root: AccountChoice | null
  readonly thumbnailUrl?: string | null | undefined
}

/** The mark of the account for a folder that shows one. */
export function RowIcon({ root, ...icon }: RowIconProps) {
  if (!root) return <FileIcon {...icon} />
  return (
    <Suspense fallback={<FileIcon category={icon.category} />}>
      <AccountIcon account={root} />
    </Suspense>
  )
}

/** The second line on narrow screens: where or how it is, size, date. */
export function SubLine({ file, location, root }: Cells & { location: string | null }) {
  const alarm = alarmOf(file)
  if (root) {
    return (
      <span className={`${styles.sub} num`} data-testid="row-facts">
        <Suspense>
          <AccountStateCell account={root} />
        </Suspense>
      </span>
    )
  }
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
  const unread = whyUnread(account)
  return (
    <span className={styles.store} title={unread ?? undefined}>
      {unread && (
        <span className={`${styles.st} t-warning`} role="img" aria-label={unread}>
          <Icon icon={TriangleAlert} size={14} />
        </span>
      )}
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

/** Why the account cannot be read now; null while it can. Its entries are shown as they were. */
export function whyUnread(account: File['account']): string | null {
  if (account?.status === 'EXPIRED') return account.statusReason ?? 'The account needs to be connected again.'
  return account?.unreachableSince ? 'The provider does not answer.' : null
}

function StoredIn({ file, root }: Cells) {
  const alarm = alarmOf(file)
  if (root) return <AccountStateCell account={root} />
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

/** Where it is stored, when it was changed, and its size. */
export function Columns({ file, root }: Cells) {
  const exactSize = file.kind === 'FOLDER' || file.size == null ? undefined : formatExactBytes(file.size)
  return (
    <>
      <span className={`${styles.cell} ${styles.desktopOnly}`} role="gridcell">
        <Suspense>
          <StoredIn file={file} root={root} />
        </Suspense>
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
  /** Null while the account of a folder is being listed for the first time. */
  readonly childCount?: number | null | undefined
}

export function Size({ file }: { file: Sized }) {
  if (file.kind === 'FOLDER') return itemsText(file.childCount)
  if (file.size != null) return formatBytes(file.size)
  return (
    <span role="img" aria-label="No size">
      –
    </span>
  )
}
