import { useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { DeleteDialog_viewer$key } from '../../__generated__/DeleteDialog_viewer.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import radioStyles from '../../ui/Radio.module.css'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.ts'
import { deleteGroupCloud, type FilesOfDeleted } from './deleteGroupCloud.ts'
import { messages } from './messages.ts'

type Props = { viewer: DeleteDialog_viewer$key; id: string; onClose: () => void }

/** Asks what happens to the files before a group cloud is deleted. Import it lazily, like Dialog. */
export function DeleteDialog({ viewer, id, onClose }: Props) {
  const { groupClouds } = useFragment(
    graphql`
      fragment DeleteDialog_viewer on User {
        groupClouds {
          id
          name
          health {
            files
            bytes
          }
        }
      }
    `,
    viewer,
  )
  const environment = useRelayEnvironment()
  const others = groupClouds.filter((groupCloud) => groupCloud.id !== id)
  const [fate, setFate] = useState<'move' | 'trash'>('move')
  const [target, setTarget] = useState(others[0]?.id ?? null)
  const [busy, setBusy] = useState(false)
  const doomed = groupClouds.find((groupCloud) => groupCloud.id === id)
  if (!doomed) return null
  const { files, bytes } = doomed.health
  const confirm = async () => {
    setBusy(true)
    try {
      await deleteGroupCloud(environment, id, filesOf(files, fate, target))
      toast.success(messages.deletion.done)
      onClose()
    } catch (error) {
      toast.error(messages.deletion.failed, { description: reasonOf(error) })
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={messages.deletion.title(doomed.name)}
      confirmLabel={messages.deletion.confirm}
      onConfirm={confirm}
      busy={busy}
    >
      {files === 0 ? (
        <p>{messages.deletion.empty}</p>
      ) : (
        <div className="grid gap-3">
          <p>{messages.deletion.question(files, formatBytes(bytes))}</p>
          <Fate label={messages.deletion.move} checked={fate === 'move'} onChoose={() => setFate('move')} />
          {fate === 'move' && (
            <Select
              label={messages.deletion.target}
              placeholder={messages.deletion.choose}
              value={target}
              options={others.map(({ id: value, name: label }) => ({ value, label }))}
              onChange={setTarget}
            />
          )}
          <Fate
            label={messages.deletion.trash}
            hint={messages.deletion.trashHint}
            checked={fate === 'trash'}
            onChoose={() => setFate('trash')}
          />
        </div>
      )}
    </ConfirmDialog>
  )
}

function filesOf(files: number, fate: 'move' | 'trash', target: string | null): FilesOfDeleted {
  if (files === 0) return {}
  return fate === 'move' && target ? { moveTo: target } : { trash: true }
}

type FateProps = { label: string; hint?: string; checked: boolean; onChoose: () => void }

function Fate({ label, hint, checked, onChoose }: FateProps) {
  return (
    <label className="hstack items-start gap-3">
      <input type="radio" className={`${radioStyles.radio} mt-1`} name="fate" checked={checked} onChange={onChoose} />
      <span>
        <span className="block text-fg">{label}</span>
        {hint && <span className="meta subtle">{hint}</span>}
      </span>
    </label>
  )
}
