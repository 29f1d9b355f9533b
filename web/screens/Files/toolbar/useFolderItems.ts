import { Copy, Download, Trash2 } from 'lucide-react'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { archiveOf } from '../actions/useDownload.ts'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { useNewItems } from './useNewItems.ts'

/** The actions of the current place: the open folder, the root, or the view as a whole. */
export function useFolderItems(): MenuEntry[] {
  const { view, folder, panels } = useFileManager()
  const { download } = useTransfers()
  const entries: MenuEntry[] = [...useNewItems()]
  if (view === 'TRASH') {
    entries.push({
      id: 'empty',
      label: 'Empty trash',
      icon: Trash2,
      danger: true,
      onSelect: () => panels.set({ dialog: { kind: 'emptyTrash' } }),
    })
  }
  if (!folder) return entries
  const path = [VIEW_NAMES.DRIVE, ...folder.path.map((entry) => entry.name), folder.name].join('/')
  return [
    ...entries,
    ...(entries.length > 0 ? (['line'] as const) : []),
    {
      id: 'download',
      label: 'Download folder',
      icon: Download,
      onSelect: () => download(archiveOf([folder.id], folder.name)),
    },
    {
      id: 'path',
      label: 'Copy path',
      icon: Copy,
      onSelect: () => void import('../../../ui/copyText.ts').then((module) => module.copyText(path)),
    },
  ]
}
