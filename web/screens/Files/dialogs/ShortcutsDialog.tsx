import { useId } from 'react'
import { useLetterKeys } from '../../../lib/letterKeys.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import kbdStyles from '../../../ui/Kbd.module.css'
import { Switch } from '../../../ui/Switch.tsx'
import styles from './Shortcuts.module.css'

const GROUPS: { title: string; isLetters?: boolean; keys: [string, string][] }[] = [
  {
    title: 'Move and select',
    keys: [
      ['↑ ↓ ← →', 'Go to another item'],
      ['Home, End', 'First, last item'],
      ['Page up, Page down', 'One screen up, down'],
      ['Type a name', 'Jump to a name'],
      ['Shift + arrows', 'Extend the selection'],
      ['Ctrl + arrows', 'Move without selecting'],
      ['Space', 'Select, unselect'],
      ['Ctrl + A', 'Select all'],
      ['Esc', 'Clear the selection'],
    ],
  },
  {
    title: 'Act',
    keys: [
      ['Enter', 'Open'],
      ['Backspace, Alt + ↑', 'Go to the parent folder'],
      ['F2', 'Rename'],
      ['Delete', 'Move to Trash'],
      ['Shift + Delete', 'Delete permanently'],
      ['Ctrl + C, Ctrl + X', 'Copy, cut'],
      ['Ctrl + V', 'Paste into this folder'],
      ['Ctrl + Z', 'Undo'],
      ['Shift + F10', 'Open context menu'],
      ['Ctrl + K', 'Go to a file, page or action'],
    ],
  },
  {
    title: 'Single keys',
    isLetters: true,
    keys: [
      ['S', 'Add or remove the star'],
      ['T', 'Tags'],
      ['D', 'Details'],
      ['V', 'List or grid'],
      ['N', 'New folder'],
      ['U', 'Upload files'],
      ['X', 'Select, unselect'],
      ['/', 'Search'],
      ['?', 'This page'],
    ],
  },
]

/** All keys of the file manager, and the switch for those that are a single letter. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [areLettersOn, setLetters] = useLetterKeys()
  const switchId = useId()
  return (
    <Dialog open onClose={onClose} size="lg" title="Keyboard shortcuts">
      <div className={styles.sheet}>
        {GROUPS.map(({ title, isLetters, keys }) => (
          <section key={title} className={isLetters && !areLettersOn ? styles.isOff : undefined}>
            <h3 className="h3">{title}</h3>
            {isLetters && (
              <div className={`hstack ${styles.letters}`}>
                <label className="grow" htmlFor={switchId}>
                  Use single keys
                </label>
                <Switch id={switchId} checked={areLettersOn} onChange={setLetters} />
              </div>
            )}
            <dl>
              {keys.map(([key, text]) => (
                <div key={key}>
                  <dt>
                    <kbd className={kbdStyles.kbd}>{key}</kbd>
                  </dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
