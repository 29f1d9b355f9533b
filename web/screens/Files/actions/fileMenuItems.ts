import {
  Copy,
  CopyPlus,
  Download,
  ExternalLink,
  Eye,
  FilePenLine,
  FolderInput,
  FolderOpen,
  FolderSearch,
  Inbox,
  Info,
  Layers,
  Link,
  Link2,
  type LucideIcon,
  Pencil,
  Plug,
  RefreshCw,
  RotateCcw,
  Settings2,
  ShieldCheck,
  Star,
  StarOff,
  Tag,
  Trash2,
  Unplug,
} from 'lucide-react'
import type { AccountAction } from '../../../features/Connect/AccountDialog.tsx'
import { isEditable } from '../../../features/Editor/editable.ts'
import { messages } from '../../../features/Tags/labels.ts'
import { exportTypeText, noExportReason } from '../../../lib/exportTypes.ts'
import { copyText } from '../../../ui/copyText.ts'
import type { MenuEntry, MenuItem } from '../../../ui/MenuSurface.tsx'
import type { FileManager } from '../FilesContext.ts'
import type { FileListRow } from '../list/filesPage.ts'
import { selectAll } from '../selection/selection.ts'
import { rowHref } from '../urlState.ts'
import { folderColorItem } from './folderColor.ts'
import { isAnyInPlace, whyNot } from './rights.ts'

/** What can be done with these rows, in the same order everywhere; the destructive last. */
export function fileMenuItems(manager: FileManager, ids: readonly string[]): MenuEntry[] {
  return manager.view === 'TRASH' ? trashItems(manager, ids) : placeItems(manager, ids)
}

function trashItems(manager: FileManager, ids: readonly string[]): MenuEntry[] {
  const { actions, panels } = manager
  return [
    { id: 'restore', label: 'Restore', icon: RotateCcw, onSelect: () => void actions.restore(ids) },
    { id: 'details', label: 'Details', icon: Info, keys: 'D', onSelect: () => showDetails(manager, ids) },
    'line',
    {
      id: 'delete',
      label: 'Delete permanently',
      icon: Trash2,
      keys: '⇧ Del',
      danger: true,
      onSelect: () => panels.set({ dialog: { kind: 'delete', ids } }),
    },
  ]
}

function placeItems(manager: FileManager, ids: readonly string[]): MenuEntry[] {
  const { list, actions, panels, open, openLocation, download } = manager
  const rows = ids.map((id) => list.model.get(id))
  const only = rows.length === 1 ? rows[0] : undefined
  const isFolder = only?.kind === 'FOLDER'
  const isStarred = rows.every((row) => row?.starred)
  const oneAtATime = only ? undefined : 'Select one item to do this.'
  const isOpened = isFolder || only?.nativeKind === 'SHORTCUT'
  const account = only?.account?.rootFileId === only?.id ? only?.account : null
  const inAccount = account ? accountItems(manager, account) : []
  return [
    {
      id: 'open',
      label: isOpened ? 'Open' : 'Preview',
      icon: isOpened ? FolderOpen : Eye,
      keys: '⏎',
      disabledReason: oneAtATime,
      onSelect: () => only && open(only.id),
    },
    ...(only && isEditable(only)
      ? [{ id: 'edit', label: 'Edit', icon: FilePenLine, onSelect: () => manager.edit(only.id) }]
      : []),
    ...inAccount,
    ...(only?.path
      ? [{ id: 'location', label: 'Open location', icon: FolderSearch, onSelect: () => openLocation(only.id) }]
      : []),
    ...(only?.webUrl
      ? [
          {
            id: 'provider',
            label: `Open in ${only.account?.providerName ?? 'its account'}`,
            icon: ExternalLink,
            onSelect: () => openPage(only.webUrl),
          },
        ]
      : []),
    only?.nativeKind && only.nativeKind !== 'SHORTCUT'
      ? exportItem(manager, only)
      : { ...DOWNLOAD, disabledReason: whyNot(rows, 'read'), onSelect: () => download(ids) },
    {
      id: 'link',
      label: 'Copy link',
      icon: Link,
      disabledReason: oneAtATime,
      onSelect: () => only && void copyText(window.location.origin + linkOf(only)),
    },
    {
      id: 'share',
      label: 'Share',
      icon: Link2,
      disabledReason: oneAtATime,
      onSelect: () => only && panels.set({ dialog: { kind: 'share', id: only.id, name: only.name } }),
    },
    ...(isFolder
      ? [
          {
            id: 'uploadLink',
            label: 'Request files',
            icon: Inbox,
            disabledReason: whyNot(rows, 'write'),
            onSelect: () => panels.set({ dialog: { kind: 'uploadLink', id: only.id, name: only.name } }),
          },
        ]
      : []),
    {
      id: 'star',
      label: isStarred ? 'Remove star' : 'Add star',
      icon: isStarred ? StarOff : Star,
      keys: 'S',
      onSelect: () => void actions.star(ids, !isStarred),
    },
    {
      id: 'tags',
      label: messages.open,
      icon: Tag,
      keys: 'T',
      onSelect: () => panels.set({ dialog: { kind: 'tags', ids } }),
    },
    ...(rows.every((row) => row?.kind === 'FOLDER') && !account ? [folderColorItem(manager, ids)] : []),
    ...(account ? [] : changeItems(manager, ids)),
    ...(isFolder && only.account
      ? [
          {
            id: 'protect',
            label: 'Protect…',
            icon: ShieldCheck,
            onSelect: () => panels.set({ dialog: { kind: 'protect', id: only.id, name: only.name } }),
          },
        ]
      : []),
    { id: 'details', label: 'Details', icon: Info, keys: 'D', onSelect: () => showDetails(manager, ids) },
    'line',
    account
      ? disconnectItem(manager, account)
      : {
          id: 'trash',
          label: 'Move to Trash',
          icon: Trash2,
          keys: 'Del',
          danger: true,
          disabledReason: whyNot(rows, 'delete'),
          onSelect: () => void actions.trash(ids),
        },
  ]
}

type RowAccount = NonNullable<FileListRow['account']>

/** Of the folder that shows an account. */
function accountItems(manager: FileManager, account: RowAccount): MenuEntry[] {
  const item = (action: AccountAction, label: string, icon: LucideIcon): MenuItem => ({
    id: action,
    label,
    icon,
    onSelect: () => manager.panels.set({ dialog: { kind: 'account', action, id: account.id } }),
  })
  const isExpired = manager.accounts.find(({ id }) => id === account.id)?.status === 'EXPIRED'
  return [
    {
      ...item('lookAgain', 'Look again now', RefreshCw),
      disabledReason: isExpired ? 'The account needs to be connected again.' : undefined,
    },
    item('indexSettings', 'Index settings', Settings2),
    item('reconnect', 'Re-connect', Plug),
    'line',
  ]
}

const disconnectItem = ({ panels }: FileManager, account: RowAccount): MenuItem => ({
  id: 'disconnect',
  label: 'Disconnect',
  icon: Unplug,
  danger: true,
  onSelect: () => panels.set({ dialog: { kind: 'account', action: 'disconnect', id: account.id } }),
})

const DOWNLOAD = { id: 'download', label: 'Download', icon: Download } as const

/** A native document is downloaded in one of the formats that its provider offers. */
function exportItem({ download }: FileManager, row: FileListRow): MenuItem {
  const { id, nativeKind, exportTypes } = row
  const refused = whyNot([row], 'read')
  if (refused) return { ...DOWNLOAD, disabledReason: refused }
  if (exportTypes.length === 0) return { ...DOWNLOAD, disabledReason: noExportReason(nativeKind ?? '') }
  const items = exportTypes.map((type) => ({
    id: type,
    label: exportTypeText(type),
    onSelect: () => download([id], type),
  }))
  return { ...DOWNLOAD, label: 'Download as…', items }
}

/** Copies of entries in an account are stored by Skypool: they are not made in the account, and have a group cloud. */
function changeItems({ actions, panels, list }: FileManager, ids: readonly string[]): MenuEntry[] {
  const rows = ids.map((id) => list.model.get(id))
  const inPlace = isAnyInPlace(rows)
  const onlyId = ids.length === 1 ? ids[0] : undefined
  return [
    {
      id: 'move',
      label: 'Move to…',
      icon: FolderInput,
      disabledReason: whyNot(rows, 'move') && whyNot(rows, 'delete'),
      onSelect: () => panels.set({ dialog: { kind: 'move', ids } }),
    },
    { id: 'copy', label: 'Copy to…', icon: Copy, onSelect: () => panels.set({ dialog: { kind: 'copy', ids } }) },
    ...(inPlace
      ? []
      : [
          {
            id: 'group-cloud',
            label: 'Move to group cloud…',
            icon: Layers,
            onSelect: () => panels.set({ dialog: { kind: 'groupCloud', ids } }),
          },
        ]),
    {
      id: 'rename',
      label: 'Rename',
      icon: Pencil,
      keys: 'F2',
      disabledReason: onlyId ? whyNot(rows, 'rename') : 'Select one item to do this.',
      onSelect: () => onlyId && panels.set({ renaming: onlyId }),
    },
    ...(inPlace
      ? []
      : [{ id: 'duplicate', label: 'Duplicate', icon: CopyPlus, onSelect: () => void actions.duplicate(ids) }]),
  ]
}

/** In a tab that knows nothing of this one. */
function openPage(url: string | null | undefined): void {
  if (url) window.open(url, '_blank', 'noopener,noreferrer')
}

/** The URL under which its owner finds it. */
function linkOf({ id, kind }: { readonly id: string; readonly kind: string }): string {
  return rowHref({ id, kind }, 'ALL') ?? ''
}

/** The panel follows the selection. */
function showDetails({ panels, setSelection }: FileManager, ids: readonly string[]): void {
  setSelection((selection) => selectAll(selection, ids))
  panels.setDetails(true)
}
