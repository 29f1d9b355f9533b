import { nameText } from '../../../lib/nameText.ts'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { ContextMenu } from '../../../ui/Menu.tsx'
import { useFileManager } from '../FilesContext.ts'
import { Size } from '../list/RowCells.tsx'
import { items } from '../messages.ts'
import { useFolderItems } from '../toolbar/useFolderItems.ts'
import { fileMenuItems } from './fileMenuItems.ts'

/** The menu of rows: by right click, Shift+F10, or the button with three dots. */
export function FileMenu() {
  const manager = useFileManager()
  const { menu, set } = manager.panels
  if (!menu) return null
  if (menu.ids.length === 0) return <PlaceMenu at={menu.at} onClose={() => set({ menu: null })} />
  const name = menu.ids.length === 1 ? manager.list.model.get(menu.ids[0] ?? '')?.name : undefined
  return (
    <ContextMenu
      label={`Actions for ${name === undefined ? items(menu.ids.length) : nameText(name)}`}
      items={fileMenuItems(manager, menu.ids)}
      at={menu.at}
      header={<SheetHead ids={menu.ids} />}
      onClose={() => set({ menu: null })}
    />
  )
}

type PlaceProps = { readonly at: { x: number; y: number }; readonly onClose: () => void }

/** The menu of the open folder, or of the view. */
function PlaceMenu({ at, onClose }: PlaceProps) {
  const items = useFolderItems()
  return items.length > 0 && <ContextMenu label="Actions for this place" items={items} at={at} onClose={onClose} />
}

function SheetHead({ ids }: { ids: readonly string[] }) {
  const { list } = useFileManager()
  const row = ids.length === 1 ? list.model.get(ids[0] ?? '') : undefined
  if (!row) return <b className="grow">{items(ids.length)}</b>
  return (
    <>
      <FileIcon category={row.category} size={40} color={row.color} />
      <span className="grow">
        <b className="ell block">{nameText(row.name)}</b>
        <span className="meta subtle num">
          <Size file={row} />
        </span>
      </span>
    </>
  )
}
