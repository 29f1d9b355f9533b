import { PaintBucket } from 'lucide-react'
import { COLOR_NAMES, COLORS, type Color, labelIcon, messages } from '../../../features/Tags/labels.ts'
import type { MenuItem } from '../../../ui/MenuSurface.tsx'
import type { FileManager } from '../FilesContext.ts'

/** The menu item with the colours of folders. */
export function folderColorItem({ list }: FileManager, ids: readonly string[]): MenuItem {
  const rows = ids.map((id) => list.model.get(id))
  const item = (color: Color | null, label: string): MenuItem => ({
    id: label,
    label,
    ...(color !== null && { icon: labelIcon(color) }),
    checked: rows.every((row) => (row?.color ?? null) === color),
    onSelect: () => {
      const names = new Map(rows.map((row) => [row?.id, row?.name]))
      void import('../../../features/Tags/labelFiles.ts')
        .then((module) => module.colorFolders(list.environment, ids, color, (id) => names.get(id) ?? 'a folder'))
        .then(() => list.refresh())
    },
  })
  return {
    id: 'color',
    label: messages.folderColor,
    icon: PaintBucket,
    items: [item(null, messages.usual), ...COLORS.map((color) => item(color, COLOR_NAMES[color]))],
  }
}
