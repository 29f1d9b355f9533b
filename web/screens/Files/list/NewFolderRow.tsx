import { useRelayEnvironment } from 'react-relay'
import { announce } from '../../../lib/announce.ts'
import { nameText } from '../../../lib/nameText.ts'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { useFileManager } from '../FilesContext.ts'
import { selectOnly } from '../selection/selection.ts'
import styles from './List.module.css'
import { NameField } from './NameField.tsx'

const SUGGESTION = 'New folder'

/** The row in which a new folder gets its name. */
export function NewFolderRow() {
  const environment = useRelayEnvironment()
  const { panels, folder, list, setSelection } = useFileManager()
  if (!panels.isCreating) return null
  const save = async (name: string) => {
    const { createFolder } = await import('../actions/mutations.ts')
    const id = await createFolder(environment, name, folder?.id ?? null)
    list.refresh()
    setSelection(() => selectOnly(id))
    announce(`Folder ${nameText(name)} created`)
  }
  return (
    <div className={`${styles.row} ${styles.cols} ${styles.newRow}`} role="row">
      <span className={`${styles.cell} only-d`} role="gridcell" />
      <span className={`${styles.cell} ${styles.cName}`} role="gridcell">
        <FileIcon category="FOLDER" />
        <NameField
          label="New folder name"
          initial=""
          placeholder={SUGGESTION}
          selected={0}
          save={save}
          onClose={() => panels.set({ isCreating: false })}
        />
      </span>
    </div>
  )
}
