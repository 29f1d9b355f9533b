import { CircleHelp, Search, X } from 'lucide-react'
import { type RefObject, Suspense, useState } from 'react'
import { late } from '../../../lib/lateCode.ts'
import { nameText } from '../../../lib/nameText.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import searchStyles from '../../../ui/Search.module.css'
import { TopBar } from '../../../ui/TopBar.tsx'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { Breadcrumbs } from './Breadcrumbs.tsx'
import { SearchField } from './SearchField.tsx'
import styles from './Toolbar.module.css'

const FolderActions = late(() => import('./FolderActions.tsx').then((file) => file.FolderActions))
const AccountLine = late(() => import('./AccountFreshness.tsx').then((file) => file.AccountLine))

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
        subtitle={
          account && (
            <Suspense>
              <AccountLine account={account} isNamed={account.index?.rootFileId !== folder?.id} />
            </Suspense>
          )
        }
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
            <Suspense fallback={<span className={styles.actionsSpace} />}>
              <FolderActions />
            </Suspense>
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
