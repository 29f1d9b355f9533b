import { useFileManager } from './FilesContext.ts'
import { NameField } from './NameField.tsx'
import { stemLength } from './words.ts'

/** The name of a row as a field, its stem selected. Enter and leaving the field keep the new name, Escape the old one. */
export function RenameField({ id, name, isFolder }: { id: string; name: string; isFolder: boolean }) {
  const { actions, panels } = useFileManager()
  return (
    <NameField
      label="New name"
      initial={name}
      selected={stemLength(name, isFolder)}
      save={(text) => actions.rename(id, text)}
      onClose={() => panels.set({ renaming: null })}
    />
  )
}
