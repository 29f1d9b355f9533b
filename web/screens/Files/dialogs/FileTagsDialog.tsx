import { useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { tagFiles } from '../../../features/Tags/labelFiles.ts'
import { messages } from '../../../features/Tags/labels.ts'
import { TagsDialog } from '../../../features/Tags/TagsDialog.tsx'
import type { NewTag } from '../../../features/Tags/tagChanges.ts'
import { announce } from '../../../lib/announce.ts'
import { nameText } from '../../../lib/nameText.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import { useFileManager } from '../FilesContext.ts'
import { selectionOf } from '../list/filesPage.ts'
import { items } from '../messages.ts'
import { countOf, isWhole } from '../selection/selection.ts'

type Props = { readonly ids: readonly string[]; readonly onClose: () => void }

/** The tags of rows, or of everything that the list shows while that is selected. Import it lazily. */
export function FileTagsDialog({ ids, onClose }: Props) {
  const environment = useRelayEnvironment()
  const { list, selection } = useFileManager()
  // A list of one tag loses its rows while the dialog is open: they are still what is meant.
  const [all] = useState(() => (isWhole(selection, ids) ? selection.all : null))
  const [nameById] = useState(() => new Map(ids.map((id) => [id, list.model.get(id)?.name ?? 'a file'])))
  const [count] = useState(() => (all ? countOf(selection) : ids.length))
  const nameOf = (id: string) => nameById.get(id) ?? 'a file'
  const change = async (tag: NewTag, isOn: boolean) => {
    if (!all) await tagFiles(environment, ids, tag, isOn, nameOf)
    else {
      try {
        const { asOf } = await all.summary
        const whole = { ...selectionOf(list.key), asOf, exceptIds: [...all.except] }
        const { changeFiles } = await import('../actions/mutations.ts')
        await changeFiles(environment, { action: isOn ? 'TAG' : 'UNTAG', tagId: tag.id, selection: whole })
        announce(isOn ? messages.put(tag.name) : messages.taken(tag.name))
      } catch (error) {
        toast.error(messages.failed, { description: reasonOf(error) })
      }
    }
    list.refresh()
  }
  const [first] = ids
  const description = count === 1 && first ? nameText(nameOf(first)) : count ? items(count) : undefined
  return <TagsDialog ids={ids} {...(description && { description })} onChange={change} onClose={onClose} />
}
