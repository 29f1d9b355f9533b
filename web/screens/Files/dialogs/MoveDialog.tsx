import { ChevronRight, CornerLeftUp } from 'lucide-react'
import { type KeyboardEvent, type RefObject, Suspense, type UIEvent, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { formatBytes } from '../../../lib/formatBytes.ts'
import { BACK, FORTH } from '../../../lib/keyboard.ts'
import { nameText } from '../../../lib/nameText.ts'
import { AccountMark } from '../../../ui/AccountMark.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FileIcon } from '../../../ui/FileIcon.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import pickerStyles from '../../../ui/Picker.module.css'
import radioStyles from '../../../ui/Radio.module.css'
import { RetryBoundary } from '../../../ui/RetryBoundary.tsx'
import { dropProblem } from '../dragAndDrop/dropRules.ts'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import { useListOf } from '../list/listCache.ts'
import { things, VIEW_NAMES } from '../messages.ts'
import { findByPrefix, TypeAhead } from '../selection/typeAhead.ts'
import { ANYWHERE, type ListKey } from '../urlState.ts'
import styles from './MoveDialog.module.css'
import { MoveFacts } from './MoveFacts.tsx'

type Place = { readonly id: string | null; readonly name: string }
const ROOT: Place = { id: null, name: VIEW_NAMES.DRIVE }
const ROW_HEIGHT = 40

type Props = { kind: 'move' | 'copy'; ids: readonly string[]; onClose: () => void }

const NOTHING_KNOWN: MoveFacts = { bytes: 0, isCarried: false }

/**
 * Picks the folder that rows are moved or copied to, also in accounts: one folder at a time, from the top. Says what will happen
 * before it does.
 */
export function MoveDialog({ kind: asked, ids, onClose }: Props) {
  const { actions, folder, view, list } = useFileManager()
  const [kind, setKind] = useState(asked)
  const [trail, setTrail] = useState<readonly Place[]>(() => [ROOT, ...(folder ? [...folder.path, folder] : [])])
  const [groupCloudId, setGroupCloudId] = useState<string | null>(null)
  const [facts, setFacts] = useState(NOTHING_KNOWN)
  const here = trail.at(-1) ?? ROOT
  const what = things(ids.map((id) => list.model.get(id)?.name ?? 'this item'))
  const target = { kind: 'folder', id: here.id, name: here.name } as const
  const problem = dropProblem(ids, target, {
    currentFolder: folder?.id ?? null,
    isDrive: view === 'DRIVE' && kind === 'move',
  })
  const picker = useRef<HTMLDivElement>(null)
  /** The focused item disappears with its folder: the list takes the focus. */
  const go = (places: readonly Place[]) => {
    setTrail(places)
    picker.current?.focus()
  }
  const act = () => {
    onClose()
    void actions[kind](ids, here, groupCloudId)
  }
  const footer = (
    <>
      <span className="push meta subtle">{problem}</span>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" disabled={problem !== null} onClick={act}>
        {`${kind === 'move' ? 'Move' : 'Copy'} ${facts.isCarried && facts.bytes > 0 ? formatBytes(facts.bytes) : 'here'}`}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      size={facts.isCarried ? 'lg' : 'sm'}
      title={`${kind === 'move' ? 'Move' : 'Copy'} ${what}`}
      description={`To ${trail.map((place) => nameText(place.name)).join(' › ')}`}
      footer={footer}
      initialFocus={picker}
    >
      <div className={cx(styles.columns, facts.isCarried && styles.both)}>
        <section aria-label="Destination">
          <KindChoice kind={kind} onChange={setKind} />
          <FolderPicker
            box={picker}
            here={here}
            leftOut={ids}
            onEnter={(place) => go([...trail, place])}
            onUp={trail.length > 1 ? () => go(trail.slice(0, -1)) : null}
          />
        </section>
        <section aria-label="What will happen" className={styles.what}>
          {problem === null && (
            <RetryBoundary>
              <Suspense>
                <MoveFacts
                  kind={kind}
                  ids={ids}
                  parentId={here.id}
                  groupCloudId={groupCloudId}
                  onGroupCloud={setGroupCloudId}
                  onFacts={setFacts}
                />
              </Suspense>
            </RetryBoundary>
          )}
        </section>
      </div>
    </Dialog>
  )
}

function KindChoice({ kind, onChange }: { kind: Props['kind']; onChange: (kind: Props['kind']) => void }) {
  return (
    <fieldset className={styles.kinds} aria-label="Copy or move">
      {(['copy', 'move'] as const).map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            className={radioStyles.radio}
            name="copy-or-move"
            checked={choice === kind}
            onChange={() => onChange(choice)}
          />
          {choice === 'move' ? 'Move' : 'Copy'}
        </label>
      ))}
    </fieldset>
  )
}

type PickerProps = {
  box: RefObject<HTMLDivElement | null>
  here: Place
  /** No folder goes into itself. */
  leftOut: readonly string[]
  onEnter: (place: Place) => void
  onUp: (() => void) | null
}

function FolderPicker({ box, here, leftOut, onEnter, onUp }: PickerProps) {
  const { roots } = useFileManager()
  const list = useListOf(foldersIn(here.id))
  const rows = list.model.pages.flatMap((page) => page.rows).filter((row) => !leftOut.includes(row.id))
  const onKeyDown = usePickerKeys(onUp)
  const onScroll = ({ currentTarget }: UIEvent) => {
    const first = Math.floor(currentTarget.scrollTop / ROW_HEIGHT)
    list.see({ first, last: first + Math.ceil(currentTarget.clientHeight / ROW_HEIGHT), velocity: 0 })
  }
  return (
    <div
      ref={box}
      className={pickerStyles.picker}
      role="group"
      aria-label={`Folders in ${nameText(here.name)}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be within reach of the keyboard
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      {onUp && (
        <button type="button" tabIndex={-1} className={pickerStyles.row} onClick={onUp}>
          <Icon icon={CornerLeftUp} />
          <span className="grow ell">Go to the parent folder</span>
        </button>
      )}
      {rows.map(({ id, name }) => (
        <button key={id} type="button" tabIndex={-1} className={pickerStyles.row} onClick={() => onEnter({ id, name })}>
          <PlaceIcon account={roots.get(id)} />
          <span className="grow ell">{nameText(name)}</span>
          <Icon icon={ChevronRight} size={14} className="subtle" />
        </button>
      ))}
      {list.failure && (
        <p className={`${pickerStyles.row} t-danger`}>
          The folders could not be loaded.
          <Button size="sm" onClick={() => list.retry()}>
            Try again
          </Button>
        </p>
      )}
      {list.status === 'ready' && rows.length === 0 && (
        <p className={`${pickerStyles.row} subtle`}>No folders in {nameText(here.name)}.</p>
      )}
    </div>
  )
}

/** The mark of the account that the folder shows, or the folder's icon. */
function PlaceIcon({ account }: { account: AccountChoice | undefined }) {
  if (!account) return <FileIcon category="FOLDER" />
  return <AccountMark glyph={account.glyph} hue={account.hue} />
}

function foldersIn(folder: string | null): ListKey {
  return {
    view: 'DRIVE',
    folder,
    query: '',
    categories: ['FOLDER'],
    ...ANYWHERE,
    tag: null,
    changed: null,
    size: null,
    atRisk: false,
    sort: { field: 'NAME', direction: 'ASC' },
    foldersFirst: true,
  }
}

/**
 * As in a list: the arrow keys, Home and End, and the first letters of a name; the arrow along the line opens the folder, the one against
 * it and Backspace the one above.
 */
function usePickerKeys(onUp: PickerProps['onUp']) {
  const [typed] = useState(() => new TypeAhead())
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > button')]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    const isLetter = event.key.length === 1 && (event.key !== ' ' || typed.isActive(event.timeStamp))
    if (event.key === BACK || event.key === 'Backspace') onUp?.()
    else if (event.key === FORTH) rows[at]?.click()
    else if (isLetter) {
      const text = typed.push(event.key, event.timeStamp)
      rows[findByPrefix(text, at, rows.length, (index) => rows[index]?.textContent ?? undefined)]?.focus()
    } else if (event.key in STEPS) rows[STEPS[event.key]?.(at, rows.length - 1) ?? at]?.focus()
    else return
    event.preventDefault()
  }
}

/** From one row to another. */
const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_at, last) => last,
}
