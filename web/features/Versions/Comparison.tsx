import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { compareTexts, countChanges, type Hunk, hunksOf, type Line } from './diff.ts'
import { messages } from './messages.ts'
import styles from './Versions.module.css'

type Props = {
  readonly before: string
  readonly after: string
  /** Only the beginning of the texts is here. */
  readonly isCut?: boolean
  /** Instead of "Both versions have the same text." */
  readonly same?: string
}

/** The changes from one text to another, line by line; F7 and Shift+F7 go through them. */
export function Comparison({ before, after, isCut = false, same = messages.same }: Props) {
  const [sideBySide, setSideBySide] = useState(false)
  const diff = useRef<HTMLElement>(null)
  const lines = useMemo(() => compareTexts(before, after), [before, after])
  const hunks = useMemo(() => hunksOf(lines), [lines])
  const { added, removed } = countChanges(lines)
  const go = (step: 1 | -1) => goToChange(diff.current, step)
  useChangeKeys(go)
  return (
    <>
      <div className={styles.bar}>
        <Badge tone="success">{messages.added(added)}</Badge>
        <Badge tone="danger">{messages.removed(removed)}</Badge>
        <IconButton size="sm" label={messages.previousChange} icon={ArrowUp} onClick={() => go(-1)} />
        <IconButton size="sm" label={messages.nextChange} icon={ArrowDown} onClick={() => go(1)} />
        <fieldset className={styles.layouts} aria-label={messages.layout}>
          <Button
            size="sm"
            variant={sideBySide ? 'ghost' : 'default'}
            aria-pressed={!sideBySide}
            onClick={() => setSideBySide(false)}
          >
            {messages.oneColumn}
          </Button>
          <Button
            size="sm"
            variant={sideBySide ? 'default' : 'ghost'}
            aria-pressed={sideBySide}
            onClick={() => setSideBySide(true)}
          >
            {messages.sideBySide}
          </Button>
        </fieldset>
      </div>
      {isCut && <p className="meta subtle">{messages.cut}</p>}
      {hunks.length === 0 && <p className="subtle">{same}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className={styles.diff} ref={diff} aria-label={messages.compare} tabIndex={0}>
        {hunks.map((hunk) => (
          <HunkLines key={keyOf(hunk.lines[0])} hunk={hunk} sideBySide={sideBySide} />
        ))}
      </section>
    </>
  )
}

const keyOf = (line: Line | undefined) => `${line?.before ?? ''} ${line?.after ?? ''}`

function HunkLines({ hunk: { lines }, sideBySide }: { hunk: Hunk; sideBySide: boolean }) {
  const numbers = lines.map(({ before, after }) => after ?? before ?? 1)
  const rows = sideBySide ? (
    <div className={styles.columns}>
      <div>
        {lines
          .filter(({ kind }) => kind !== 'added')
          .map((line) => (
            <LineRow key={keyOf(line)} line={line} numbers={[line.before]} />
          ))}
      </div>
      <div>
        {lines
          .filter(({ kind }) => kind !== 'removed')
          .map((line) => (
            <LineRow key={keyOf(line)} line={line} numbers={[line.after]} />
          ))}
      </div>
    </div>
  ) : (
    lines.map((line) => <LineRow key={keyOf(line)} line={line} numbers={[line.before, line.after]} />)
  )
  return (
    <>
      <p className={styles.hunk}>{messages.lines(Math.min(...numbers), Math.max(...numbers))}</p>
      {rows}
    </>
  )
}

const SIGN = { same: '', added: '+', removed: '−' } as const

function LineRow({ line: { kind, words }, numbers }: { line: Line; numbers: readonly (number | undefined)[] }) {
  const tone = kind === 'same' ? undefined : styles[kind]
  return (
    <div className={cx(styles.line, tone)} data-change={kind === 'same' ? undefined : kind}>
      {numbers.map((number, index) => (
        <span key={index}>{number}</span>
      ))}
      <span className={styles.sign}>{SIGN[kind]}</span>
      <code>
        {words.map(({ text, changed }, index) => {
          const Mark = kind === 'added' ? 'ins' : 'del'
          return changed ? <Mark key={index}>{text}</Mark> : text
        })}
      </code>
    </div>
  )
}

/** F7 and Shift+F7, as in other programs that compare. */
function useChangeKeys(go: (step: 1 | -1) => void): void {
  const latest = useRef(go)
  latest.current = go
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F7') return
      event.preventDefault()
      latest.current(event.shiftKey ? -1 : 1)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** Scrolls to the first line of the next or the previous change. */
function goToChange(box: HTMLElement | null, step: 1 | -1): void {
  if (!box) return
  const changed = [...box.querySelectorAll<HTMLElement>('[data-change]')]
  const starts = changed.filter((line) => !(line.previousElementSibling as HTMLElement | null)?.dataset.change)
  const top = box.getBoundingClientRect().top
  const tops = starts.map((line) => Math.round(line.getBoundingClientRect().top - top + box.scrollTop))
  const at = Number(box.dataset.change ?? (step === 1 ? -1 : tops.length))
  const next = Math.min(Math.max(at + step, 0), tops.length - 1)
  box.dataset.change = String(next)
  box.scrollTo({ top: Math.max(0, (tops[next] ?? 0) - 40) })
  starts[next]?.scrollIntoView?.({ block: 'nearest' })
}
