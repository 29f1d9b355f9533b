import { ChevronRight } from 'lucide-react'
import { Link } from 'react-router'
import { nameText } from '../../lib/nameText.ts'
import { Icon } from '../../ui/Icon.tsx'
import { folderParams } from './FolderRow.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import type { PathEntry } from './useFolder.ts'

/** From the shared folder to the one that is open. */
export function FolderPath({ name, path }: { name: string; path: readonly PathEntry[] }) {
  const crumbs = [{ id: null, name }, ...path]
  if (path.length === 0) return null
  return (
    <nav aria-label={messages.path}>
      <ol className={styles.path}>
        {crumbs.map((crumb, index) => (
          <li key={crumb.id ?? 'top'} className="hstack min-w-0 gap-1">
            {index > 0 && <Icon icon={ChevronRight} size={14} className="subtle flex-none" />}
            {index === crumbs.length - 1 ? (
              <b className="ell" aria-current="page">
                {nameText(crumb.name)}
              </b>
            ) : (
              <Link className="link ell" to={`?${folderParams(crumb.id, null)}`}>
                {nameText(crumb.name)}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
