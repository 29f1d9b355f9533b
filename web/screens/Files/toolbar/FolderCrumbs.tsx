import { ChevronDown, ChevronRight, Ellipsis } from 'lucide-react'
import { Fragment } from 'react'
import { Link, useNavigate } from 'react-router'
import { nameText } from '../../../lib/nameText.ts'
import { useIsSmall } from '../../../lib/useMediaQuery.ts'
import { AccountMark } from '../../../ui/AccountMark.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { type AccountChoice, type PathEntry, useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import { folderPath } from '../urlState.ts'
import styles from './Toolbar.module.css'
import { useFolderItems } from './useFolderItems.ts'

/** With more parents than this, only the nearest are shown, and a menu in the middle has the others. */
const MOST_PARENTS = 3
/** The same on a small window. */
const MOST_PARENTS_SMALL = 1

/** The folders above the open one, and that one with a menu of its actions. Import it lazily. */
export function FolderCrumbs({ folder }: { folder: PathEntry & { path: readonly PathEntry[] } }) {
  const { roots } = useFileManager()
  const most = useIsSmall() ? MOST_PARENTS_SMALL : MOST_PARENTS
  const { path } = folder
  const hidden = path.length > most ? path.slice(0, path.length - most + 1) : []
  const shown = path.slice(hidden.length)
  return (
    <>
      <Crumb id={null} name={VIEW_NAMES.DRIVE} />
      {hidden.length > 0 && <HiddenCrumbs entries={hidden} />}
      {shown.map((entry) => (
        <Fragment key={entry.id}>
          <Divider />
          <CrumbMark account={roots.get(entry.id)} />
          <Crumb id={entry.id} name={entry.name} />
        </Fragment>
      ))}
      <Divider />
      <CrumbMark account={roots.get(folder.id)} />
      <FolderCrumb folder={folder} />
    </>
  )
}

const Divider = () => <Icon icon={ChevronRight} size={14} />

/** Of the folder that shows an account. */
const CrumbMark = ({ account }: { account: AccountChoice | undefined }) =>
  account ? <AccountMark glyph={account.glyph} hue={account.hue} /> : null

function Crumb({ id, name }: { id: string | null; name: string }) {
  return (
    <Link to={folderPath(id)} data-drop-folder={id ?? ''} data-drop-name={name} className="ell" title={nameText(name)}>
      {nameText(name)}
    </Link>
  )
}

function HiddenCrumbs({ entries }: { entries: readonly PathEntry[] }) {
  const navigate = useNavigate()
  const menu: MenuEntry[] = entries.map(({ id, name }) => ({
    id,
    label: nameText(name),
    onSelect: () => void navigate(folderPath(id)),
  }))
  return (
    <>
      <Divider />
      <Menu
        label="Hidden parent folders"
        items={menu}
        trigger={(props) => (
          <button {...props} type="button" aria-label="Show hidden parent folders">
            <Icon icon={Ellipsis} />
          </button>
        )}
      />
    </>
  )
}

function FolderCrumb({ folder }: { folder: PathEntry }) {
  return (
    <h1 className={styles.crumbHere}>
      <Menu
        label={`Actions for ${nameText(folder.name)}`}
        items={useFolderItems()}
        trigger={(props) => (
          <button {...props} type="button" aria-current="page" title={nameText(folder.name)}>
            <span className="ell">{nameText(folder.name)}</span>
            <Icon icon={ChevronDown} size={14} />
          </button>
        )}
      />
    </h1>
  )
}
