import { FileCode, FilePlus, FolderPlus, FolderUp, Inbox, Layers, Upload } from 'lucide-react'
import { useNavigate } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { fileEntries } from '../../../lib/dropEntries.ts'
import { nameText } from '../../../lib/nameText.ts'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'

/** What can be made in the current place, or put into it; nothing in the trash. */
export function useNewItems(): MenuEntry[] {
  const { view, folder, panels } = useFileManager()
  const { openUploadDialog, upload } = useTransfers()
  const navigate = useNavigate()
  if (view === 'TRASH' || folder?.canCreate === false) return []
  const isDrive = view === 'DRIVE'
  const uploads: MenuEntry[] = [
    { id: 'upload', label: 'Upload files', icon: Upload, keys: 'U', onSelect: () => openUploadDialog() },
    {
      id: 'uploadFolder',
      label: 'Upload folder',
      icon: FolderUp,
      onSelect: () =>
        chooseFolder((files) => {
          const place = nameText(folder?.name ?? VIEW_NAMES.DRIVE)
          upload(fileEntries(files), { parentId: folder?.id ?? null, groupCloudId: null, place })
        }),
    },
  ]
  if (!isDrive) return uploads
  const newDocument = (ending: '.md' | '.txt') => () => panels.set({ dialog: { kind: 'newDocument', ending } })
  return [
    {
      id: 'new',
      label: 'New folder',
      icon: FolderPlus,
      keys: 'N',
      onSelect: () => panels.set({ isCreating: true }),
    },
    'line',
    ...uploads,
    ...(folder?.inPlace
      ? []
      : ([
          'line',
          { id: 'text', label: 'New text document', icon: FilePlus, onSelect: newDocument('.txt') },
          { id: 'markdown', label: 'New Markdown document', icon: FileCode, onSelect: newDocument('.md') },
        ] as const)),
    'line',
    ...(folder
      ? [
          {
            id: 'uploadLink',
            label: 'Request files',
            icon: Inbox,
            onSelect: () => panels.set({ dialog: { kind: 'uploadLink', id: folder.id, name: folder.name } }),
          },
        ]
      : []),
    { id: 'pool', label: 'New group cloud', icon: Layers, onSelect: () => void navigate('/group-cloud?new') },
  ]
}

/** Must be called while a key or pointer is handled: browsers open the dialog only then. */
function chooseFolder(onFiles: (files: Iterable<File>) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.webkitdirectory = true
  input.addEventListener('change', () => input.files && onFiles(input.files))
  input.click()
}
