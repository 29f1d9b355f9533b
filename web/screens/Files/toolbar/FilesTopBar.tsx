import { CircleHelp, EllipsisVertical, Search, X } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import searchStyles from '../../../ui/Search.module.css'
import { TopBar } from '../../../ui/TopBar.tsx'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { Breadcrumbs } from './Breadcrumbs.tsx'
import { SearchField } from './SearchField.tsx'
import styles from './Toolbar.module.css'
import { useFolderItems } from './useFolderItems.ts'

/** The current path, the search, and help; on narrow screens the search takes the bar's place while it is used. */
export function FilesTopBar({ search }: { search: RefObject<HTMLInputElement | null> }) {
  const { view, folder, url, panels, accounts } = useFileManager()
  const [isSearching, setSearching] = useState(false)
  const account = folder ? accounts.find(({ id }) => id === folder.accountId) : undefined
  const title = folder ? nameText(folder.name) : VIEW_NAMES[view]
  return (
    <>
      <TopBar
        title={title}
        subtitle={account && account.index?.rootFileId !== folder?.id && <AccountLine account={account} />}
        actions={
          <IconButton
            label="Keyboard shortcuts"
            keys="?"
            icon={CircleHelp}
            onClick={() => panels.set({ dialog: { kind: 'shortcuts' } })}
          />
        }
        mobileActions={
          <>
            <IconButton label="Search" icon={Search} iconSize={20} onClick={() => setSearching(true)} />
            <FolderActions />
          </>
        }
      >
        <Breadcrumbs />
        <SearchField input={search} className={searchStyles.inToolbar} />
      </TopBar>
      {(isSearching || url.query !== '') && <MobileSearch onClose={() => setSearching(false)} />}
    </>
  )
}

/** In whose account the open folder is. */
const AccountLine = ({ account }: { account: AccountChoice }) => (
  <p className={`${styles.accountLine} meta subtle`}>
    <PoolMini hues={[account.hue]} />
    <span className="ell">{nameText(accountLabel(account))}</span>
  </p>
)

function FolderActions() {
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

function MobileSearch({ onClose }: { onClose: () => void }) {
  const { setUrl } = useFileManager()
  const close = () => {
    setUrl({ query: '' }, { replace: true })
    onClose()
  }
  return (
    <div className={`only-m flex ${searchStyles.onPhone}`}>
      <SearchField className="grow" focusAtOnce />
      <IconButton label="Close search" icon={X} iconSize={20} onClick={close} />
    </div>
  )
}
