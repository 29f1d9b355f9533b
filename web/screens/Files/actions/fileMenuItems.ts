import {
  Copy,
  CopyPlus,
  Download,
  ExternalLink,
  Eye,
  FolderInput,
  FolderOpen,
  FolderSearch,
  Info,
  Layers,
  Link,
  Link2,
  Pencil,
  RotateCcw,
  Star,
  StarOff,
  Trash2,
} from 'lucide-react'
import { copyText } from '../../../ui/copyText.ts'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import type { FileManager } from '../FilesContext.ts'
import { selectAll } from '../selection/selection.ts'
import { rowHref } from '../urlState.ts'
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
  return [
    {
      id: 'open',
      label: isFolder ? 'Open' : 'Preview',
      icon: isFolder ? FolderOpen : Eye,
      keys: '⏎',
      disabledReason: oneAtATime,
      onSelect: () => only && open(only.id),
    },
    ...(only?.path
      ? [{ id: 'location', label: 'Open location', icon: FolderSearch, onSelect: () => openLocation(only.id) }]
      : []),
    ...(only?.webUrl
      ? [{ id: 'provider', label: 'Open at its provider', icon: ExternalLink, onSelect: () => openPage(only.webUrl) }]
      : []),
    {
      id: 'download',
      label: 'Download',
      icon: Download,
      disabledReason: only?.nativeKind ? 'This document exists only at its provider. Open it there.' : undefined,
      onSelect: () => download(ids),
    },
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
    {
      id: 'star',
      label: isStarred ? 'Remove star' : 'Add star',
      icon: isStarred ? StarOff : Star,
      keys: 'S',
      onSelect: () => void actions.star(ids, !isStarred),
    },
    ...changeItems(manager, ids),
    { id: 'details', label: 'Details', icon: Info, keys: 'D', onSelect: () => showDetails(manager, ids) },
    'line',
    {
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
      disabledReason: whyNot(rows, 'move'),
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
