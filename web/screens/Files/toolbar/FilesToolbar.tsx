import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  FilePlus,
  FolderPlus,
  Images,
  LayoutGrid,
  List,
  PanelRight,
  Trash2,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useIsMobile } from '../../../lib/useMediaQuery.ts'
import buttonStyles from '../../../ui/Button.module.css'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import segmentedControlStyles from '../../../ui/SegmentedControl.module.css'
import { useFileManager } from '../FilesContext.ts'
import { type FilesLayout, hasFilters, nextSort, type SortField } from '../urlState.ts'
import styles from './Toolbar.module.css'

const AccountFreshness = lazy(() =>
  import('./AccountFreshness.tsx').then((file) => ({ default: file.AccountFreshness })),
)
const FilterMenus = lazy(() => import('./FilterMenus.tsx').then((file) => ({ default: file.FilterMenus })))

/** Filters at the left, what changes the folder or the view at the right. */
export function FilesToolbar() {
  const isNarrow = useIsMobile()
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Files">
      {isNarrow ? <NarrowTools /> : <WideTools />}
    </div>
  )
}

function WideTools() {
  const { view, folder, accounts } = useFileManager()
  const account = view === 'DRIVE' && folder ? accounts.find(({ id }) => id === folder.accountId) : undefined
  return (
    <>
      <div className={styles.filters}>
        <Filters />
      </div>
      <Suspense>{account && <AccountFreshness account={account} />}</Suspense>
      {view === 'DRIVE' && <NewFolderButton />}
      {view === 'DRIVE' && !folder?.inPlace && <NewDocumentButton />}
      {view === 'TRASH' && <EmptyTrashButton />}
      <LayoutSwitch />
      <DetailsToggle />
    </>
  )
}

function NarrowTools() {
  const { view, isInside } = useFileManager()
  return (
    <>
      <div className={styles.filters}>
        {!isInside && <SortMenu />}
        <Filters />
      </div>
      {view === 'TRASH' && <EmptyTrashButton isNarrow />}
      <LayoutSwitch />
    </>
  )
}

const FILTERS = ['Type', 'Where', 'Changed', 'Size', 'State']

/** The code of the menus is loaded with the first filter. */
function Filters() {
  const { url } = useFileManager()
  const [first, setFirst] = useState<string | null>(null)
  const buttons = FILTERS.map((name) => (
    <Button key={name} size="sm" aria-haspopup="menu" onClick={() => setFirst(name)}>
      {name}
      <Icon icon={ChevronDown} size={12} />
    </Button>
  ))
  if (first === null && !hasFilters({ ...url, query: '' })) return buttons
  return (
    <Suspense fallback={buttons}>
      <FilterMenus opened={first} />
    </Suspense>
  )
}

function NewFolderButton() {
  const { panels, folder } = useFileManager()
  if (folder?.canCreate === false) return null
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={FolderPlus}
      title="New folder"
      onClick={() => panels.set({ isCreating: true })}
    >
      <span className={styles.tooltext}>New folder</span>
    </Button>
  )
}

function NewDocumentButton() {
  const { panels } = useFileManager()
  return (
    <IconButton
      label="New document"
      icon={FilePlus}
      size="sm"
      onClick={() => panels.set({ dialog: { kind: 'newDocument' } })}
    />
  )
}

const EMPTY_TRASH = 'Empty trash'

function EmptyTrashButton({ isNarrow = false }) {
  const { panels, list } = useFileManager()
  const act = {
    size: 'sm',
    icon: Trash2,
    disabled: list.model.count === 0,
    onClick: () => panels.set({ dialog: { kind: 'emptyTrash' } }),
  } as const
  if (isNarrow) return <IconButton label={EMPTY_TRASH} {...act} />
  return (
    <Button variant="danger" {...act}>
      {EMPTY_TRASH}
    </Button>
  )
}

const LAYOUTS = [
  { layout: 'list', label: 'List', icon: List },
  { layout: 'grid', label: 'Grid', icon: LayoutGrid },
  { layout: 'photos', label: 'Photos', icon: Images },
] as const satisfies readonly { layout: FilesLayout; label: string; icon: unknown }[]

function LayoutSwitch() {
  const { layout: current, setLayout, isInside } = useFileManager()
  if (isInside) return null
  return (
    <span className={segmentedControlStyles.control} role="group" aria-label="View">
      {LAYOUTS.map(({ layout, label, icon }) => (
        <button
          key={layout}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={layout === current}
          onClick={() => setLayout(layout)}
        >
          <Icon icon={icon} />
        </button>
      ))}
    </span>
  )
}

function DetailsToggle() {
  const { panels } = useFileManager()
  return (
    <IconButton
      label="Details"
      icon={PanelRight}
      size="sm"
      keys="D"
      aria-pressed={panels.isDetailsOpen}
      className={panels.isDetailsOpen ? buttonStyles.isHover : ''}
      onClick={() => panels.setDetails(!panels.isDetailsOpen)}
    />
  )
}

const SORT_NAMES: [SortField, string][] = [
  ['NAME', 'Name'],
  ['MODIFIED', 'Modified'],
  ['SIZE', 'Size'],
]

function SortMenu() {
  const { sort, setUrl } = useFileManager()
  const items: MenuEntry[] = SORT_NAMES.map(([field, label]) => ({
    id: field,
    label,
    checked: sort.field === field,
    onSelect: () => setUrl({ sort: nextSort(sort, field) }, { replace: true }),
  }))
  return (
    <Menu
      label="Sort by"
      items={items}
      trigger={(props) => (
        <Button {...props} size="sm">
          {SORT_NAMES.find(([field]) => field === sort.field)?.[1]}
          <Icon icon={sort.direction === 'ASC' ? ArrowUp : ArrowDown} size={12} />
        </Button>
      )}
    />
  )
}
