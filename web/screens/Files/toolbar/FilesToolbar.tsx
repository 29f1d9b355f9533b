import { ArrowDown, ArrowUp, ChevronDown, Images, LayoutGrid, List, PanelRight, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { late } from '../../../lib/lateCode.ts'
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

const AccountFreshness = late(() => import('./AccountFreshness.tsx').then((file) => file.AccountFreshness))
const EmptyTrashButton = late(() => import('./EmptyTrashButton.tsx').then((file) => file.EmptyTrashButton))
const NewMenu = late(() => import('./NewMenu.tsx').then((file) => file.NewMenu))
const FilterMenus = late(() => import('./FilterMenus.tsx').then((file) => file.FilterMenus))

/** Filters at the left, what changes the folder or the view at the right. */
export function FilesToolbar() {
  const isNarrow = useIsMobile()
  const { view, folder, accounts, isInside } = useFileManager()
  const account = view === 'DRIVE' && folder ? accounts.find(({ id }) => id === folder.accountId) : undefined
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Files">
      <div className={styles.filters}>
        {isNarrow && !isInside && <SortMenu />}
        <Filters />
      </div>
      <Suspense>
        {!isNarrow && account && <AccountFreshness account={account} />}
        {view === 'TRASH' && <EmptyTrashButton isNarrow={isNarrow} />}
      </Suspense>
      {!isNarrow && view === 'DRIVE' && folder?.canCreate !== false && <NewButton />}
      <LayoutSwitch />
      {!isNarrow && <DetailsToggle />}
    </div>
  )
}

const FILTERS = ['Type', 'Where', 'Tag', 'Changed', 'Size', 'State']

/** The code of the menus is loaded with the first filter. */
function Filters() {
  const { url } = useFileManager()
  const [first, setFirst] = useState<number | null>(null)
  const buttons = FILTERS.map((name, index) => (
    <Button key={name} size="sm" aria-haspopup="menu" onClick={() => setFirst(index)}>
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

/** The code of the menu is loaded when it is first opened. */
function NewButton() {
  const [isUsed, setUsed] = useState(false)
  const button = (
    <Button variant="ghost" size="sm" icon={Plus} aria-haspopup="menu" onClick={() => setUsed(true)}>
      New
    </Button>
  )
  return isUsed ? (
    <Suspense fallback={button}>
      <NewMenu />
    </Suspense>
  ) : (
    button
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
