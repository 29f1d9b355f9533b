import { Copy, Download, Ellipsis, FolderInput, Link2, RotateCcw, Star, StarOff, Tag, Trash2, X } from 'lucide-react'
import { formatBytes, formatExactBytes } from '../../../lib/formatBytes.ts'
import { Button } from '../../../ui/Button.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { fileMenuItems } from '../actions/fileMenuItems.ts'
import { whyNot } from '../actions/rights.ts'
import { useFileManager } from '../FilesContext.ts'
import styles from './SelectionBar.module.css'
import { clear, countOf, isEmpty } from './selection.ts'

/** What is selected, and what to do with it. */
export function SelectionBar() {
  const manager = useFileManager()
  const { selection, setSelection, view } = manager
  const ids = [...selection.ids]
  if (isEmpty(selection)) return null
  const counted = countOf(selection)
  const count = counted === null ? 'Selecting all…' : `${counted.toLocaleString()} selected`
  return (
    <div className={styles.bar} role="toolbar" aria-label={count}>
      <span className="strong num">{count}</span>
      <TotalSize ids={ids} />
      <span className={styles.sep} />
      {view === 'TRASH' ? <TrashButtons ids={ids} /> : <FileButtons ids={ids} />}
      <Menu
        label="More actions"
        items={fileMenuItems(manager, ids)}
        align="end"
        trigger={(props) => <IconButton {...props} label="More" icon={Ellipsis} iconSize={14} size="sm" />}
      />
      <span className={`${styles.sep} ${styles.tight}`} />
      <IconButton
        label="Clear selection"
        icon={X}
        iconSize={14}
        size="sm"
        keys="Esc"
        onClick={() => setSelection(clear)}
      />
    </div>
  )
}

type Props = { ids: readonly string[] }

function TotalSize({ ids }: Props) {
  const { list, selection } = useFileManager()
  const sum = (some: Iterable<string>) => [...some].reduce((bytes, id) => bytes + (list.model.get(id)?.size ?? 0), 0)
  const { all } = selection
  const bytes = all ? (all.counted?.bytes ?? 0) - sum(all.except) : sum(ids)
  if (bytes === 0) return null
  return (
    <span className={`subtle num ${styles.size}`} title={formatExactBytes(bytes)}>
      {formatBytes(bytes)}
    </span>
  )
}

function FileButtons({ ids }: Props) {
  const { list, actions, panels, download } = useFileManager()
  const isStarred = ids.every((id) => list.model.get(id)?.starred)
  const only = ids.length === 1 ? list.model.get(ids[0] ?? '') : undefined
  const rows = ids.map((id) => list.model.get(id))
  return (
    <>
      {!whyNot(rows, 'read') && (
        <Button variant="ghost" size="sm" icon={Download} onClick={() => download(ids)}>
          <span className={styles.text}>Download</span>
        </Button>
      )}
      {only && (
        <Button
          variant="ghost"
          size="sm"
          icon={Link2}
          onClick={() => panels.set({ dialog: { kind: 'share', id: only.id, name: only.name } })}
        >
          <span className={styles.text}>Share</span>
        </Button>
      )}
      {!whyNot(rows, 'move') && (
        <Button
          variant="ghost"
          size="sm"
          icon={FolderInput}
          onClick={() => panels.set({ dialog: { kind: 'move', ids } })}
        >
          <span className={styles.text}>Move to…</span>
        </Button>
      )}
      <Button
        className="only-d"
        variant="ghost"
        size="sm"
        icon={Copy}
        onClick={() => panels.set({ dialog: { kind: 'copy', ids } })}
      >
        <span className={styles.text}>Copy to…</span>
      </Button>
      <IconButton
        label={isStarred ? 'Remove star' : 'Add star'}
        icon={isStarred ? StarOff : Star}
        iconSize={14}
        size="sm"
        onClick={() => void actions.star(ids, !isStarred)}
      />
      <IconButton
        label="Tags"
        icon={Tag}
        iconSize={14}
        size="sm"
        keys="T"
        className="only-d"
        onClick={() => panels.set({ dialog: { kind: 'tags', ids } })}
      />
      {!whyNot(rows, 'delete') && (
        <IconButton
          label="Move to Trash"
          icon={Trash2}
          iconSize={14}
          size="sm"
          onClick={() => void actions.trash(ids)}
        />
      )}
    </>
  )
}

function TrashButtons({ ids }: Props) {
  const { actions, panels } = useFileManager()
  return (
    <>
      <Button variant="ghost" size="sm" icon={RotateCcw} onClick={() => void actions.restore(ids)}>
        Restore
      </Button>
      <Button variant="danger" size="sm" icon={Trash2} onClick={() => panels.set({ dialog: { kind: 'delete', ids } })}>
        <span className={styles.text}>Delete permanently</span>
      </Button>
    </>
  )
}
