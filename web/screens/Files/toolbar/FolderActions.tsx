import { EllipsisVertical } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useFolderItems } from './useFolderItems.ts'

/** On narrow screens, which have no breadcrumbs: the actions of the current place. Import it lazily. */
export function FolderActions() {
  const items = useFolderItems()
  if (items.length === 0) return null
  return (
    <Menu
      label="Folder actions"
      items={items}
      align="end"
      trigger={(props) => <IconButton {...props} label="Folder actions" icon={EllipsisVertical} iconSize={20} />}
    />
  )
}
