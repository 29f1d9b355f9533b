import { Copy, Download, FilePlus, FolderPlus, Trash2, Upload } from 'lucide-react'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { archiveUrl } from '../actions/useDownload.ts'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'

/** The actions of the current place: the open folder, the root, or the view as a whole. */
export function useFolderItems(): MenuEntry[] {
  const { view, folder, panels } = useFileManager()
  const { openUploadDialog } = useTransfers()
  const entries: MenuEntry[] = []
  if (view === 'DRIVE' && folder?.canCreate !== false) {
    entries.push({
      id: 'new',
      label: 'New folder',
      icon: FolderPlus,
      keys: 'N',
      onSelect: () => panels.set({ isCreating: true }),
    })
  }
  if (view === 'DRIVE' && !folder?.inPlace) {
    entries.push({
      id: 'document',
      label: 'New document',
      icon: FilePlus,
      onSelect: () => panels.set({ dialog: { kind: 'newDocument' } }),
    })
  }
  if (view !== 'TRASH' && folder?.canCreate !== false) {
    entries.push({ id: 'upload', label: 'Upload Files', icon: Upload, keys: 'U', onSelect: () => openUploadDialog() })
  }
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
    {
      id: 'download',
      label: 'Download folder',
      icon: Download,
      onSelect: () => window.location.assign(archiveUrl([folder.id])),
    },
    {
      id: 'path',
      label: 'Copy path',
      icon: Copy,
      onSelect: () => void import('../../../ui/copyText.ts').then((module) => module.copyText(path)),
    },
  ]
}
