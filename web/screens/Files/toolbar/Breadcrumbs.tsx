import { Suspense } from 'react'
import { late } from '../../../lib/lateCode.ts'
import { nameText } from '../../../lib/nameText.ts'
import { useFileManager } from '../FilesContext.ts'
import { VIEW_NAMES } from '../messages.ts'
import styles from './Toolbar.module.css'

const FolderCrumbs = late(() => import('./FolderCrumbs.tsx').then((file) => file.FolderCrumbs))

/** The current path: links that are also drop targets, and the open folder with its actions. */
export function Breadcrumbs() {
  const { view, folder } = useFileManager()
  const isFolder = view === 'DRIVE' && folder
  const here = (
    <h1 className={styles.crumbHere} aria-current="page">
      {isFolder ? nameText(folder.name) : VIEW_NAMES[view]}
    </h1>
  )
  return (
    <nav className={styles.crumbs} aria-label="Breadcrumb">
      {isFolder ? (
        <Suspense fallback={here}>
          <FolderCrumbs folder={folder} />
        </Suspense>
      ) : (
        here
      )}
    </nav>
  )
}
