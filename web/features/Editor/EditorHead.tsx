import { ArrowLeft, Check, Copy, Download, Ellipsis, History, LoaderCircle, TriangleAlert } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { Button } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/MenuSurface.tsx'
import styles from './Editor.module.css'
import type { EditedFile, EditingState } from './editing.ts'
import { messages, timeText } from './messages.ts'
import { isWritable } from './textFormat.ts'

type Props = {
  readonly file: EditedFile
  readonly place: string
  readonly state: EditingState
  readonly isDirty: boolean
  readonly onSave: () => void
  readonly onClose: () => void
  readonly onVersions: () => void
  readonly onCopy: () => void
}

/** Name, place and state of the edited file. */
export function EditorHead({ file, place, state, isDirty, onSave, onClose, onVersions, onCopy }: Props) {
  const isMobile = useIsMobile()
  const canSave = isDirty && !state.isSaving && !state.theirs && !state.offered
  const items: MenuEntry[] = [
    ...(isMobile ? [{ id: 'versions', label: messages.versions, icon: History, onSelect: onVersions }] : []),
    { id: 'download', label: messages.download, icon: Download, onSelect: () => downloadSaved(file) },
    ...(isWritable(state.format) && !state.offered
      ? [{ id: 'copy', label: messages.saveCopy, icon: Copy, onSelect: onCopy }]
      : []),
  ]
  return (
    <header className={styles.head}>
      <IconButton label={messages.close} icon={ArrowLeft} iconSize={18} onClick={onClose} />
      <span className="only-d">
        <FileIcon category="TEXT" />
      </span>
      <div className={cx(styles.title, 'grow')}>
        <h2>
          <FileName name={file.name} />
        </h2>
        <span className="meta subtle ell block">{place}</span>
      </div>
      <SaveState state={state} isDirty={isDirty} />
      {!isMobile && <IconButton label={messages.versions} icon={History} onClick={onVersions} />}
      <Menu
        label={messages.more}
        items={items}
        align="end"
        trigger={(props) => <IconButton {...props} label={messages.more} icon={Ellipsis} />}
      />
      {(!isMobile || canSave) && (
        <Button variant="primary" disabled={!canSave} onClick={onSave}>
          {messages.save}
          {!isMobile && (
            <span className={styles.keys} aria-hidden>
              {messages.saveKeys}
            </span>
          )}
        </Button>
      )}
    </header>
  )
}

type Tone = { readonly text: string; readonly short: string; readonly tone: 'success' | 'warning' | 'busy' | 'plain' }

/** The state as text. */
function SaveState({ state, isDirty }: { readonly state: EditingState; readonly isDirty: boolean }) {
  const { text, short, tone } = stateText(state, isDirty)
  const icon = { success: Check, warning: TriangleAlert, busy: LoaderCircle, plain: null }[tone]
  return (
    <span className={styles.state} role="status">
      {icon && (
        <span className={tone === 'busy' ? undefined : `t-${tone}`}>
          <Icon icon={icon} size={14} />
        </span>
      )}
      <span className="only-d">{text}</span>
      <span className="only-m">{short}</span>
    </span>
  )
}

function stateText(state: EditingState, isDirty: boolean): Tone {
  const warning = (text: string): Tone => ({ text, short: messages.notSaved, tone: 'warning' })
  if (!isWritable(state.format)) return { text: messages.readOnly, short: messages.readOnly, tone: 'plain' }
  if (state.isSaving) return { text: messages.saving, short: messages.saving, tone: 'busy' }
  if (state.theirs && !isDirty) return { text: messages.changedClean, short: messages.changedClean, tone: 'warning' }
  if (state.theirs) return warning(messages.changed)
  if (isDirty && state.isOffline) return warning(state.isKept ? messages.offline : messages.offlineNotKept)
  if (isDirty && state.problem) return warning(messages.notSaved)
  if (isDirty) return { text: messages.unsaved, short: messages.notSaved, tone: 'plain' }
  const saved = state.savedAt === null ? messages.saved : messages.savedAt(timeText(state.savedAt))
  return { text: saved, short: messages.saved, tone: 'success' }
}

/** What the file has, without what was not saved. */
function downloadSaved({ downloadUrl, name }: EditedFile): void {
  const link = document.createElement('a')
  link.href = downloadUrl
  link.download = name
  link.click()
}
